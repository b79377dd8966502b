import type { Fault } from '../../part.ts';

/** A fault, and the members of the corpus that find it. */
interface PlantedFault extends Fault {
  members: readonly string[];
}

const SCAN_TURNS = 'server/src/storage/scan-turns.ts';

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
        from: 'else await this.#wait(accountId, signal);',
        to: "else await this.#wait('', signal);",
      },
    ],
  },
  {
    name: 'long-bodies',
    what: 'A body may be of any length',
    members: ['post-too-large'],
    patches: [
      {
        file: 'server/src/http/body.ts',
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
        file: 'server/src/http/atomic-file.ts',
        from: 'ATOMIC_BYTES_MAX = 64 * 1024 * 1024',
        to: 'ATOMIC_BYTES_MAX = 64 * 1024 * 1024 * 1024',
      },
    ],
  },
  {
    name: 'long-heads',
    what: 'A head may have a megabyte',
    members: ['heads-too-long'],
    patches: [
      {
        file: 'server/src/http/server.ts',
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
