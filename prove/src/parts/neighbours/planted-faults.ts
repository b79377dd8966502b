import type { Patch, PlantedFault } from '../../part.ts';

/** A fault, and the member of the corpus that a small trial of it needs. */
interface Attacked extends PlantedFault {
  member: string;
}

function by(
  member: string,
  what: string,
  patch: Patch,
  foundBy: PlantedFault['foundBy'] = 'the attacker was not told',
): Attacked {
  return { member, what, foundBy, patches: [patch] };
}

export const plantedFaults: readonly Attacked[] = [
  by('too-many-searches', 'As many searches of one account wait as it likes', [
    'fair-semaphore:WAITING_MAX',
    '256',
    '1e9',
  ]),
  by('too-many-searches', 'Searches wait in one queue, whoever they are of', [
    'FairSemaphore.acquire',
    'this.#wait(accountId',
    "this.#wait(''",
  ]),
  by('post-too-large', 'A body may be of any length', ['BODY_BYTES_MAX', '1024 * 1024', '1024 ** 3']),
  by('atomic-too-large', 'An atomic import may be of any length', ['ATOMIC_BYTES_MAX', '64 *', '64 * 1024 *']),
  by('csv-same-columns', 'A file may have any number of columns', ['CSV_COLUMNS_MAX', '500', '1e9']),
  by('csv-blank-lines', 'A file may have any number of empty lines', ['EMPTY_RECORDS_MAX', '10_000', '1e12']),
  by('held-long-lines', 'An account may send any number of imports at a time', ['ACCOUNT_PLACES', '4', '1_000']),
  by(
    'left-dry-runs',
    'A file is read to its end after its client has left',
    ['UploadGate.run', "socket.once('close', onClose);", ''],
    ['the attacker was told', 'running on after the attackers left'],
  ),
  by('post-unknown-members', 'All values of a body are kept, however many there are', ['VALUES_MAX', '5_000', '1e9']),
  by('sign-in-1-mib', 'A sign-in may have a body of a megabyte', ['INPUT_BYTES_MAX', '16 *', '1024 *']),
  by('heads-too-long', 'A head may have a megabyte', ['HEADER_BYTES_MAX', '16 *', '1024 *']),
  by('post-marks', 'A letter may have as many marks as fit into a body', ['MARKS_MAX', '128', '1e9']),
  by('post-deep', 'A body may be nested as deeply as it likes', ['DEPTH_MAX', '32', '1e9']),
];
