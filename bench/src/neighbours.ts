import { drive } from './driver.ts';
import { type Busy, watchBusy } from './process-stats.ts';
import type { Server } from './processes.ts';
import type { Scenario } from './scenario-kinds.ts';

/** The latency (p99) of other accounts' requests before one account keeps the service busy and while it does. */
export type Neighbour = {
  name: string;
  beforeMs: number;
  meanwhileMs: number;
  ratio: number;
};

export type Watched = { neighbours: Neighbour[]; busy: Busy };

type Asked = Pick<Scenario, 'service'>;

/** Requests per second in each scenario: few enough that neighbors hardly affect each other. */
const PER_SECOND = 200;
/** Enough for `PER_SECOND` unless responses take more than 50 ms. */
const CONNECTIONS = 10;
const WARM_UP_SECONDS = 1;

/**
 * Measures the scenarios at a fixed, moderate rate before and during the work of another account.
 * @param seconds the duration of the measurement before the work
 */
export async function watchNeighbours(
  server: Server,
  scenarios: readonly Scenario[],
  seconds: number,
  work: () => Promise<unknown>,
): Promise<Watched> {
  await warmUp(server, scenarios);
  const endWatch = watchBusy(server.pid, server.cores);
  const before = await askAll(server, scenarios, { seconds, isOver: () => false });
  const { p99sMs: meanwhile } = await askDuring(server, scenarios, work);
  return {
    neighbours: scenarios.map(({ name }, index) => compare(name, before[index], meanwhile[index])),
    busy: endWatch(),
  };
}

/** Measures the scenarios at a fixed, moderate rate while `work` runs. */
export async function askDuring<T>(
  server: Server,
  scenarios: readonly Asked[],
  work: () => Promise<T>,
): Promise<{ p99sMs: number[]; result: T }> {
  let isOver = false;
  const [p99sMs, result] = await Promise.all([
    askAll(server, scenarios, { seconds: Number.POSITIVE_INFINITY, isOver: () => isOver }),
    work().finally(() => {
      isOver = true;
    }),
  ]);
  return { p99sMs, result };
}

/** Sends requests before the first measurement, which code that is not compiled yet would slow down. */
async function warmUp({ port }: Server, scenarios: readonly Scenario[]): Promise<void> {
  for (const { service } of scenarios) {
    await drive({ port, connections: CONNECTIONS, next: service(port), seconds: WARM_UP_SECONDS });
  }
}

function askAll(
  { port }: Server,
  scenarios: readonly Asked[],
  { seconds, isOver }: { seconds: number; isOver: () => boolean },
): Promise<number[]> {
  return Promise.all(
    scenarios.map(async ({ service }) => {
      const nextExchange = service(port);
      const next = () => (isOver() ? undefined : nextExchange());
      const { p99Ms } = await drive({ port, connections: CONNECTIONS, perSecond: PER_SECOND, next, seconds });
      return p99Ms;
    }),
  );
}

function compare(name: string, beforeMs = Number.NaN, meanwhileMs = Number.NaN): Neighbour {
  return { name, beforeMs, meanwhileMs, ratio: meanwhileMs / beforeMs };
}
