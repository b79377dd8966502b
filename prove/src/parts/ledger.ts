import { createDatabase } from '../../../testkit/src/database.ts';
import { LANE_KINDS } from '../../../testkit/src/lane.ts';
import { assertKept } from '../../../testkit/src/ledger.ts';
import { startMixedLoad } from '../../../testkit/src/mixed-load.ts';
import { until } from '../../../testkit/src/until.ts';
import type { Fault, Outcome, Part, Trial } from '../part.ts';
import { createTenant, serve } from '../service.ts';

const WRITE_QUEUE = 'server/src/storage/sqlite/write-queue.ts';
const WRITE_PATH = 'server/src/domain/write-path.ts';
/** So often, as an expression: rare enough that a load does not end with the first request. */
const SOMETIMES = 'Math.random() < 0.2';

const faults: readonly Fault[] = [
  {
    name: 'reply-before-commit',
    what: 'Some groups of writes are answered before their commit, which then fails',
    patches: [
      {
        file: WRITE_QUEUE,
        from: 'this.#commit();\n        for (const answer of answers) answer();',
        to: `for (const answer of answers) answer(); if (${SOMETIMES}) throw new Error('lost'); this.#commit();`,
      },
    ],
  },
  {
    name: 'refused-but-stored',
    what: 'Some writes are answered with 503 `unavailable` and stored',
    patches: [
      {
        file: WRITE_QUEUE,
        from: 'return () => job.resolve(value);',
        to: `return () => ${SOMETIMES} ? job.reject(new AppError('unavailable', 'Not now.')) : job.resolve(value);`,
      },
    ],
  },
  {
    name: 'refused-but-remembered',
    what: 'Some writes are answered with 503 `unavailable`, stored, and answered when they are sent again',
    patches: [
      {
        file: 'server/src/domain/writing.ts',
        from: 'const written = await database.write((session) => runOnce(session, actor, retry, work), actor.accountId);',
        to: `const written = await database.write((session) => runOnce(session, actor, retry, work), actor.accountId);
          if (retry !== undefined && ${SOMETIMES}) throw new AppError('unavailable', 'Not now.');`,
      },
    ],
  },
  {
    name: 'double',
    what: 'A request that is sent again with its Idempotency-Key is done again',
    patches: [
      {
        file: 'server/src/domain/writing.ts',
        from: 'const earlier = await findOutcome<T>(session, account.id, retry);',
        to: 'const earlier = await findOutcome<T>(session, account.id, { ...retry, key: retry.key + Math.random() });',
      },
    ],
  },
  {
    name: 'lost-create',
    what: 'Some creates and imported rows are acknowledged and have an event, but are not stored',
    patches: [
      {
        file: WRITE_PATH,
        from: 'await insertListing(session, account.id, { id, version, sequence, doc }, findable);',
        to: `if (!(${SOMETIMES})) await insertListing(session, account.id, { id, version, sequence, doc }, findable);`,
      },
    ],
  },
  {
    name: 'lost-update',
    what: 'Some updates are acknowledged and not made',
    patches: [
      {
        file: WRITE_PATH,
        from: 'await updateListing(session',
        to: `if (!(${SOMETIMES})) await updateListing(session`,
      },
    ],
  },
  {
    name: 'gap',
    what: 'Some changes take two numbers of the sequence',
    patches: [
      {
        file: 'server/src/storage/account-heads.ts',
        from: 'account.sequence += 1;',
        to: `account.sequence += ${SOMETIMES} ? 2 : 1;`,
      },
    ],
  },
  {
    name: 'missing-event',
    what: 'The events of some changes are missing',
    patches: [
      {
        file: WRITE_PATH,
        from: 'await insertEvent(session',
        to: `if (!(${SOMETIMES})) await insertEvent(session`,
      },
    ],
  },
];

const LANES = 8;
/** How often each lane sends each kind of request. */
const ROUNDS = { full: 60, small: 3 };

/** The load and the comparison that the other parts use, with nothing in their way. */
export const ledger: Part = {
  name: 'ledger',
  title: 'Ledger',
  promise: 'What was acknowledged is there, once and in order, what was refused is not, and the events tell the same.',
  faults,
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const tenant = await createTenant(trial);
  const service = await serve(trial);
  const database = await createDatabase(trial.directory, 'sqlite');
  const load = startMixedLoad([service.url], tenant.key, LANES);
  const turnsMin = ROUNDS[trial.size] * LANE_KINDS;
  await until(
    'each lane has sent all',
    () => load.isBroken() || load.turns.every((turns) => turns >= turnsMin),
    300_000,
  );
  load.finish();
  await load.ended;
  await assertKept(service.url, tenant, database, load.ledger);
  await service.end();
  const { counts, known, gone, replayed } = load.ledger;
  const told = (what: string) => (counts.get(what) ?? 0).toLocaleString('en');
  return {
    tried: `${LANES} clients that create, change, delete, import and list, and write down what they are told`,
    figure: `${told('acknowledged')} acknowledged requests and ${replayed.sequence.toLocaleString('en')} events agree with what is stored`,
    figures: [
      ['requests that change something, acknowledged', told('acknowledged')],
      ['of these sent a second time and not done again', told('repeated')],
      ['requests that read', told('read')],
      ['events, without a gap', replayed.sequence.toLocaleString('en')],
      ['listings at the end', known.size.toLocaleString('en')],
      ['listings deleted', gone.size.toLocaleString('en')],
    ],
  };
}
