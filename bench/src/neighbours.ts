import { drive } from './driver.ts';
import { type Busy, watchBusy } from './process-stats.ts';
import type { Server } from './processes.ts';
import type { Scenario } from './scenario-kinds.ts';

/** How long what other accounts ask for takes (p99), before one account keeps the service busy and while it does. */
export type Neighbour = {
  name: string;
  beforeMs: number;
  meanwhileMs: number;
  /** How many times as long it takes meanwhile. */
  ratio: number;
};

/** What neighbours noticed in one round. */
export type Watched = { neighbours: Neighbour[]; busy: Busy };

/** Of each scenario: so few that neighbours hardly stand in each other's way. */
const PER_SECOND = 200;
/** More than are needed, unless each reply takes 50 ms. */
const CONNECTIONS = 10;
const WARM_UP_SECONDS = 1;

/**
 * Asks for the scenarios at a fixed, modest rate before some work and until it ends.
 * @param seconds how long they are asked for before it
 * @param work what an account that is none of theirs has the service do
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
  let isOver = false;
  const [meanwhile] = await Promise.all([
    askAll(server, scenarios, { seconds: Number.POSITIVE_INFINITY, isOver: () => isOver }),
    work().finally(() => {
      isOver = true;
    }),
  ]);
  return {
    neighbours: scenarios.map(({ name }, index) => compare(name, before[index], meanwhile[index])),
    busy: endWatch(),
  };
}

/** Code that runs for the first time is slow: it would flatter the comparison. */
async function warmUp({ port }: Server, scenarios: readonly Scenario[]): Promise<void> {
  for (const { service } of scenarios) {
    await drive({ port, connections: CONNECTIONS, next: service(port), seconds: WARM_UP_SECONDS });
  }
}

/** @returns the p99 of each scenario, in ms */
function askAll(
  { port }: Server,
  scenarios: readonly Scenario[],
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
