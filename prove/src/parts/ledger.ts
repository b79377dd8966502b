import { createDatabase } from '../../../testkit/src/database.ts';
import { LANE_KINDS } from '../../../testkit/src/lane.ts';
import { assertKept } from '../../../testkit/src/ledger.ts';
import { startMixedLoad } from '../../../testkit/src/mixed-load.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { createTenant, serve } from '../service.ts';

const LANES = 8;
/** How often each lane sends each kind of request. */
const ROUNDS = { full: 60, small: 3 };

/** Runs the load that other parts use, and makes the same comparison, but does not disturb the service. */
export const ledger: Part = {
  name: 'ledger',
  title: 'Ledger',
  promise: 'Acknowledged writes are stored once and in order, rejected writes are not stored, and the events match.',
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const tenant = await createTenant(trial);
  const service = await serve(trial);
  const database = await createDatabase(trial.directory, 'sqlite');
  const load = startMixedLoad([service.url], tenant.key, LANES, true);
  const turnsMin = ROUNDS[trial.size] * LANE_KINDS;
  const isDone = await load.reaches(() => load.turns.every((turns) => turns >= turnsMin), 300_000);
  if (!isDone) throw new Error('the lanes have not sent all requests');
  await load.finish();
  await assertKept(service.url, tenant, database, load.ledger);
  await service.end();
  const { known, gone, replayed } = load.ledger;
  const told = (what: string) => load.told(what).toLocaleString('en');
  return {
    tried: `${LANES} clients that create, update, delete, import, and list listings, upload feed files, and keep a ledger of the responses`,
    figure: `${told('acknowledged')} acknowledged writes and ${replayed.sequence.toLocaleString('en')} events match the stored state`,
    figures: [
      ['acknowledged writes', told('acknowledged')],
      ['of these, retried and replayed', told('repeated')],
      ['reads', told('read')],
      ['events, without gaps', replayed.sequence.toLocaleString('en')],
      ['listings at the end', known.size.toLocaleString('en')],
      ['listings deleted', gone.size.toLocaleString('en')],
    ],
  };
}
