import type { Patch, PlantedFault } from '../../part.ts';

/** So often, as an expression: rare enough that a load does not end with the first request. */
const SOMETIMES = 'Math.random() < 0.2';

/** The checks that find a lost write: chance decides which of them meets it first. */
export const LOST_WRITE = [
  'what was acknowledged is gone',
  '; acknowledged was ',
  'were acknowledged and are missing',
  'were acknowledged and are not as they were',
  ', and must be ',
  'an import of ',
  'was done again',
  'has the sequence',
];

/** Stores some creates and then answers 503; `when` is an expression. */
function storeAndReject(when: string): Patch[] {
  const wrapped = `return (async (...given) => {
    const written = await write(...given);
    if (${when} && ${SOMETIMES}) throw new AppError('unavailable', 'Not now.');
    return written;
  })(`;
  return ['createListing', 'updateListing', 'putListing'].map((symbol) => [symbol, 'return write(', wrapped]);
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    what: 'Some groups of writes are answered before their commit, which then fails',
    foundBy: LOST_WRITE,
    patches: [
      [
        'WriteQueue.#drain',
        'this.#commit()',
        `for (const answer of answers) answer(); if (${SOMETIMES}) throw new Error('lost'); this.#commit()`,
      ],
    ],
  },
  {
    what: 'Some writes are answered with 503 `unavailable` and stored',
    foundBy: 'were refused or deleted and are there',
    patches: storeAndReject('idempotency === undefined'),
  },
  {
    what: 'Some writes are answered with 503 `unavailable`, stored, and answered when they are sent again',
    foundBy: 'was refused, and had been done',
    patches: storeAndReject('idempotency !== undefined'),
  },
  {
    what: 'A retry with the same Idempotency-Key is executed again',
    foundBy: 'was done again',
    patches: [
      [
        'runOnce',
        'account.id, idempotency);',
        'account.id, { ...idempotency, key: idempotency.key + Math.random() });',
      ],
    ],
  },
  {
    what: 'Some creates and imported rows are acknowledged and have an event, but are not stored',
    foundBy: LOST_WRITE,
    patches: [['storeCreated', 'await insertListing', `if (!(${SOMETIMES})) await insertListing`]],
  },
  {
    what: 'Some updates are acknowledged and not made',
    foundBy: '; acknowledged was ',
    patches: [['storeUpdated', 'await replaceListing', `if (!(${SOMETIMES})) await replaceListing`]],
  },
  {
    what: 'Some changes take two numbers of the sequence',
    foundBy: 'has the sequence',
    patches: [['advanceSequence', '+= 1', `+= account.sequence > 1 && ${SOMETIMES} ? 2 : 1`]],
  },
  {
    what: 'The events of some changes are missing',
    foundBy: 'has the sequence',
    patches: [['appendEvent', 'await insertEvent', `if (sequence < 3 || !(${SOMETIMES})) await insertEvent`]],
  },
];
