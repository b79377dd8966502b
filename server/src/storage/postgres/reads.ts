import type pg from 'pg';
import type { Run, Statement } from '../database.ts';
import { compiler, send, toQuery, toRows } from './connection.ts';
import { isConnectionLost, translateError } from './errors.ts';
import type { Pool } from './pool.ts';
import { readRun } from './read-run.ts';
import { Tries } from './tries.ts';

type Work<T> = (client: pg.ClientBase) => Promise<T>;

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

export async function execute<P, R>(pool: Pool, statement: Statement<P, R>, parameters: P): Promise<R[]> {
  const { settings, beginLimits } = pool;
  const compiled = compiler.compile(statement);
  const query = toQuery(compiled, parameters, settings.preparesStatements);
  const answer = await read(
    pool,
    async (client) => {
      if (beginLimits === '') return send(client, query);
      const [, result] = await Promise.all([
        send(client, { text: `begin read only${beginLimits}` }),
        send(client, query),
        send(client, { text: 'commit' }),
      ]);
      return result;
    },
    accountOf(parameters),
  );
  return toRows(compiled, answer) as R[];
}

/** By its name: all statements on the data of an account have its id. */
function accountOf(parameters: unknown): string | undefined {
  const accountId = Object(parameters).accountId;
  return typeof accountId === 'string' ? accountId : undefined;
}

export async function executeRun<P, R>(
  pool: Pool,
  statement: Statement<P, R>,
  parameters: P,
  bytesMax: number,
): Promise<Run<R>> {
  const compiled = compiler.compile(statement);
  const query = toQuery(compiled, parameters, false);
  const run = await read(
    pool,
    (client) => readWithin(client, pool, () => readRun(client, query, bytesMax)),
    accountOf(parameters),
  );
  return { rows: toRows(compiled, run) as R[], isCut: run.isCut };
}

/** Reads in a transaction. */
async function readWithin<T>(client: pg.ClientBase, { beginLimits }: Pool, work: Work<T>): Promise<T> {
  const begun = send(client, { text: `begin read only${beginLimits}` });
  const [, result] = await Promise.all([begun, work(client)]);
  await send(client, { text: 'commit' });
  return result;
}
