import type { PlantedFault } from '../../part.ts';

/** With the members of the corpus that a small trial of it needs. */
interface Attacked extends PlantedFault {
  members: readonly string[];
}

/** A limit that is as good as none, and the member that finds it. */
function unlimited(
  what: string,
  member: string,
  foundBy: string,
  ...patch: [symbol: string, from: string, to: string]
): Attacked {
  return { what, foundBy, members: [member], patches: [patch] };
}

export const plantedFaults: readonly Attacked[] = [
  unlimited(
    'As many searches of one account wait as it likes',
    'too-many-searches',
    'X',
    'scan-turns:WAITING_MAX',
    '256',
    '1e9',
  ),
  unlimited(
    'Searches wait in one queue, whoever they are of',
    'too-many-searches',
    'X',
    'ScanTurns.enter',
    'this.#wait(accountId',
    "this.#wait(''",
  ),
  unlimited('A body may be of any length', 'post-too-large', 'X', 'BODY_BYTES_MAX', '1024 * 1024', '1024 ** 3'),
  unlimited(
    'An atomic import may be of any length',
    'atomic-too-large',
    'X',
    'ATOMIC_BYTES_MAX',
    '64 *',
    '64 * 1024 *',
  ),
  unlimited('A file may have any number of columns', 'csv-same-columns', 'X', 'CSV_COLUMNS_MAX', '500', '1e9'),
  unlimited('A file may have any number of empty lines', 'csv-blank-lines', 'X', 'EMPTY_RECORDS_MAX', '10_000', '1e12'),
  unlimited(
    'An account may send any number of imports at a time',
    'held-long-lines',
    'X',
    'ACCOUNT_PLACES',
    '4',
    '1_000',
  ),
  unlimited(
    'A file is read to its end after its client has left',
    'left-dry-runs',
    'X',
    'UploadGate.run',
    "socket.once('close', onClose);",
    '',
  ),
  unlimited(
    'All values of a body are kept, however many there are',
    'post-unknown-members',
    'X',
    'VALUES_MAX',
    '5_000',
    '1e9',
  ),
  unlimited('A sign-in may have a body of a megabyte', 'sign-in-1-mib', 'X', 'INPUT_BYTES_MAX', '16 *', '1024 *'),
  unlimited('A head may have a megabyte', 'heads-too-long', 'X', 'HEADER_BYTES_MAX', '16 *', '1024 *'),
  unlimited('A letter may have as many marks as fit into a body', 'post-marks', 'X', 'MARKS_MAX', '128', '1e9'),
  unlimited('A body may be nested as deeply as it likes', 'post-deep', 'X', 'DEPTH_MAX', '32', '1e9'),
];

/** Those that a small trial of a fault needs. */
export function membersOf(fault: PlantedFault | undefined): readonly string[] | undefined {
  return plantedFaults.find((each) => each === fault)?.members;
}
