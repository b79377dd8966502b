import type pg from 'pg';
import { ownTurn } from '../../lib/turns.ts';
import type { Run, Statement } from '../database.ts';
import { compiler, send, toQuery, toRows } from './connection.ts';
import { isConnectionLost, translateError } from './errors.ts';
import type { Pool } from './pool.ts';
import { type AnswerRun, readRun } from './read-run.ts';
import { Tries } from './tries.ts';

type Work<T> = (client: pg.ClientBase, tell: (value: T) => void) => Promise<T>;

/** Reads with a connection of its own. `accountId` is whose data it reads; undefined for nobody's. */
export function read<T>(pool: Pool, work: Work<T>, accountId?: string): Promise<T> {
  return tryAgain(() => pool.use(work, accountId));
}

/** Reads, and again with another connection if that one was dead. */
export async function tryAgain<T>(reading: () => Promise<T>): Promise<T> {
  const tries = new Tries();
  for (;;) {
    try {
      return await reading();
    } catch (error) {
      if (!isConnectionLost(error) || !(await tries.next())) throw translateError(error);
    }
  }
}

/** Fewer rows than that are no long read. */
const LONG_ROWS_MIN = 100;

export async function execute<P, R>(pool: Pool, statement: Statement<P, R>, parameters: P): Promise<R[]> {
  const { settings, beginLimits } = pool;
  const compiled = compiler.compile(statement);
  const query = toQuery(compiled, parameters, settings.preparesStatements);
  const work = async (client: pg.ClientBase) => {
    if (beginLimits === '') return send(client, query);
    const [, result] = await Promise.all([
      send(client, { text: `begin read only${beginLimits}` }),
      send(client, query),
      send(client, { text: 'commit' }),
    ]);
    return result;
  };
  return toRows(compiled, await readFor(pool, parameters, work)) as R[];
}

export async function executeRun<P, R>(
  pool: Pool,
  statement: Statement<P, R>,
  parameters: P,
  bytesMax: number,
): Promise<Run<R>> {
  const compiled = compiler.compile(statement);
  const query = toQuery(compiled, parameters, false);
  const run = await readFor<AnswerRun>(pool, parameters, async (client, tell) => {
    const begun = send(client, { text: `begin read only${pool.beginLimits}` });
    const [, answer] = await Promise.all([begun, readRun(client, query, bytesMax)]);
    tell(answer);
    await send(client, { text: 'commit' });
    return answer;
  });
  return { rows: toRows(compiled, run) as R[], isCut: run.isCut };
}

/** Reads for whom the parameters name. What is nobody's is about one key or one person, and shares a connection. */
function readFor<T>(pool: Pool, parameters: unknown, work: Work<T>): Promise<T> {
  const { accountId, limit = 1 } = Object(parameters);
  if (typeof accountId !== 'string') return tryAgain(() => pool.share((client) => work(client, () => {})));
  if (limit < LONG_ROWS_MIN) return read(pool, work, accountId);
  return pool.longReads.run(accountId, async () => {
    // The server sends as fast as it can: what comes is asked for when it can be worked on.
    await ownTurn(accountId);
    return await read(pool, work, accountId);
  });
}
