import { createDatabase } from '../../../testkit/src/database.ts';
import { LANE_KINDS } from '../../../testkit/src/lane.ts';
import { assertKept } from '../../../testkit/src/ledger.ts';
import { startMixedLoad } from '../../../testkit/src/mixed-load.ts';
import { until } from '../../../testkit/src/until.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { createTenant, serve } from '../service.ts';
import { plantedFaults } from './ledger/planted-faults.ts';

const LANES = 8;
/** How often each lane sends each kind of request. */
const ROUNDS = { full: 60, small: 3 };

/** The load and the comparison that the other parts use, with nothing in their way. */
export const ledger: Part = {
  name: 'ledger',
  title: 'Ledger',
  promise: 'What was acknowledged is there, once and in order, what was refused is not, and the events tell the same.',
  plantedFaults,
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
