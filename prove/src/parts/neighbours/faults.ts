import type { Fault } from '../../part.ts';

/** A fault, and the members of the corpus that find it. */
interface PlantedFault extends Fault {
  members: readonly string[];
}

const UPLOAD_GATE = 'server/src/http/gate/upload-gate.ts';
const SCAN_TURNS = 'server/src/storage/fair-semaphore.ts';

export const faults: readonly PlantedFault[] = [
  {
    name: 'searches-without-limit',
    what: 'As many searches of one account wait as it likes',
    members: ['too-many-searches'],
    patches: [{ file: SCAN_TURNS, from: 'const WAITING_MAX = 256;', to: 'const WAITING_MAX = 1e9;' }],
  },
  {
    name: 'searches-in-one-queue',
    what: 'Searches wait in one queue, whoever they are of',
    members: ['too-many-searches'],
    patches: [
      {
        file: SCAN_TURNS,
        from: 'return this.#wait(accountId, signal, goesOn);',
        to: "return this.#wait('', signal, goesOn);",
      },
    ],
  },
  {
    name: 'long-bodies',
    what: 'A body may be of any length',
    members: ['post-too-large'],
    patches: [
      {
        file: 'server/src/http/protocol/body.ts',
        from: 'BODY_BYTES_MAX = 1024 * 1024',
        to: 'BODY_BYTES_MAX = 1024 * 1024 * 1024',
      },
    ],
  },
  {
    name: 'long-atomic-imports',
    what: 'An atomic import may be of any length',
    members: ['atomic-too-large'],
    patches: [
      {
        file: 'server/src/http/gate/held-bytes.ts',
        from: 'ATOMIC_BYTES_MAX = 64 * 1024 * 1024',
        to: 'ATOMIC_BYTES_MAX = 64 * 1024 * 1024 * 1024',
      },
    ],
  },
  {
    name: 'many-columns',
    what: 'A file may have any number of columns',
    members: ['csv-same-columns'],
    patches: [
      { file: 'server/src/http/imports/csv-columns.ts', from: 'CSV_COLUMNS_MAX = 500', to: 'CSV_COLUMNS_MAX = 1e9' },
    ],
  },
  {
    name: 'many-empty-lines',
    what: 'A file may have any number of empty lines',
    members: ['csv-blank-lines'],
    patches: [
      { file: 'server/src/lib/records.ts', from: 'EMPTY_RECORDS_MAX = 10_000', to: 'EMPTY_RECORDS_MAX = 1e12' },
    ],
  },
  {
    name: 'many-imports',
    what: 'An account may send any number of imports at a time',
    members: ['held-long-lines'],
    patches: [{ file: UPLOAD_GATE, from: 'ACCOUNT_PLACES = 4', to: 'ACCOUNT_PLACES = 1_000' }],
  },
  {
    name: 'clients-that-leave',
    what: 'A file is read to its end after its client has left',
    members: ['left-dry-runs'],
    patches: [{ file: UPLOAD_GATE, from: "socket.once('close', onClose);", to: '' }],
  },
  {
    name: 'all-values-kept',
    what: 'All values of a body are kept, however many there are',
    members: ['post-unknown-members'],
    patches: [{ file: 'server/src/lib/json.ts', from: 'VALUES_MAX = 5_000', to: 'VALUES_MAX = 1e9' }],
  },
  {
    name: 'long-sign-ins',
    what: 'A sign-in may have a body of a megabyte',
    members: ['sign-in-1-mib'],
    patches: [
      {
        file: 'server/src/http/protocol/input.ts',
        from: 'INPUT_BYTES_MAX = 16 * 1024',
        to: 'INPUT_BYTES_MAX = 1024 * 1024',
      },
    ],
  },
  {
    name: 'long-heads',
    what: 'A head may have a megabyte',
    members: ['heads-too-long'],
    patches: [
      {
        file: 'server/src/http/protocol/server.ts',
        from: 'HEADER_BYTES_MAX = 16 * 1024',
        to: 'HEADER_BYTES_MAX = 1024 * 1024',
      },
    ],
  },
  {
    name: 'many-marks',
    what: 'A letter may have as many marks as fit into a body',
    members: ['post-marks'],
    patches: [{ file: 'server/src/lib/nfc.ts', from: 'MARKS_MAX = 128', to: 'MARKS_MAX = 1e9' }],
  },
  {
    name: 'deep-bodies',
    what: 'A body may be nested as deeply as it likes',
    members: ['post-deep'],
    patches: [{ file: 'server/src/lib/json.ts', from: 'DEPTH_MAX = 32', to: 'DEPTH_MAX = 1e9' }],
  },
];

/** Those that a small trial of a fault needs. */
export function membersOf(fault: Fault | undefined): readonly string[] | undefined {
  return faults.find(({ name }) => name === fault?.name)?.members;
}
