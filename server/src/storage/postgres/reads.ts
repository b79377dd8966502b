import type pg from 'pg';
import { noteWaiting, ownTurn } from '../../lib/turns.ts';
import type { Executor, Statement } from '../database.ts';
import type { Run } from '../runs.ts';
import type { PageOptions } from '../searches.ts';
import { Backoff } from './backoff.ts';
import { compiler, named, type Query, type Result, send, toQuery, toRows } from './connection.ts';
import { isConnectionLost, translateError } from './errors.ts';
import { JobTransaction } from './job-transaction.ts';
import type { Pool } from './pool.ts';
import { type ResultRun, readRun } from './read-run.ts';

type Work<T> = (client: pg.ClientBase, tell: (value: T) => void) => Promise<T>;

/** Reads with an exclusive connection. `accountId` is undefined for data that does not belong to a single account. */
export function read<T>(pool: Pool, work: Work<T>, accountId?: string): Promise<T> {
  return retry(() => pool.use(work, accountId));
}

/** Repeats work on another connection if `isRepeated`: by default, if the first was dead or led to a read-only server. */
export async function retry<T>(reading: () => Promise<T>, isRepeated = isConnectionLost): Promise<T> {
  const backoff = new Backoff();
  for (;;) {
    try {
      return await reading();
    } catch (error) {
      if (!isRepeated(error) || !(await backoff.next())) throw translateError(error);
    }
  }
}

/** Reads with this limit or a higher one are long, as are those of `executeRun` without a limit. */
const LONG_ROWS_MIN = 100;

export async function execute<P, R>(
  pool: Pool,
  statement: Statement<P, R>,
  parameters: P,
  signal?: AbortSignal,
): Promise<R[]> {
  const { settings, beginLimits } = pool;
  const compiled = compiler.compile(statement);
  const query = toQuery(compiled, parameters, settings.preparesStatements);
  const work = async (client: pg.ClientBase) =>
    beginLimits === '' ? send(client, query) : readWith(client, beginLimits, query);
  const { accountId, limit = 1 } = boundsOf(parameters);
  // A statement without an account usually concerns one key or one user, so it is treated as short.
  const result =
    accountId === undefined
      ? await retry(() => pool.shareRead(work, JSON.stringify([query.text, query.values])))
      : await readRows(pool, work, { accountId, limit, signal });
  return toRows(compiled, result) as R[];
}

/**
 * Reads in a transaction of its own. `settings` are SQL commands for this transaction, each preceded by a
 * semicolon. `check` sends a statement that runs after the query.
 */
export async function readWith(
  client: pg.ClientBase,
  settings: string,
  query: Query,
  check = async (_client: pg.ClientBase): Promise<unknown> => undefined,
): Promise<Result> {
  const sent = [
    send(client, { text: `begin read only${settings}` }),
    send(client, query),
    check(client),
    send(client, { text: 'commit' }),
  ] as const;
  // Waits for all of them, so that the transaction has ended even after an error: otherwise, the connection
  // would be discarded.
  await Promise.allSettled(sent);
  // The first error is the cause of the others.
  const [, result] = await Promise.all(sent);
  return result;
}

export async function executeRun<P, R>(
  pool: Pool,
  statement: Statement<P, R>,
  parameters: P,
  bytesMax: number,
  signal?: AbortSignal,
): Promise<Run<R>> {
  const compiled = compiler.compile(statement);
  const query = toQuery(compiled, parameters, false);
  const { accountId, limit = Number.POSITIVE_INFINITY } = boundsOf(parameters);
  const work: Work<ResultRun> = async (client, tell) => {
    const begun = send(client, { text: `begin read only${pool.beginLimits}` });
    const [, run] = await Promise.all([begun, readRun(client, query, bytesMax)]);
    tell(run);
    await send(client, { text: 'commit' });
    return run;
  };
  const run = await readRows(pool, work, { accountId, limit, signal });
  return { rows: toRows(compiled, run) as R[], isCut: run.isCut };
}

interface ReadPageOptions extends Bounds, Pick<PageOptions<Executor>, 'check'> {
  /**
   * SQL commands for this query only, each preceded by a semicolon. If there are any, the server keeps the query
   * prepared, unless a pooler prevents that.
   */
  settings: string;
}

/** Reads up to `limit` rows of an account, and sends the statement of `check` in the same round trip. */
export function readPage(pool: Pool, query: Query, { settings, check, ...bounds }: ReadPageOptions): Promise<Result> {
  const { preparesStatements } = pool.settings;
  const isNamed = settings !== '' && preparesStatements;
  const checkOn = check && ((client: pg.ClientBase) => check(new JobTransaction(client, preparesStatements, {}, [])));
  const work = (client: pg.ClientBase) =>
    readWith(client, pool.beginLimits + settings, isNamed ? named(client, query) : query, checkOn);
  return readRows(pool, work, bounds);
}

interface Bounds {
  accountId: string | undefined;
  limit: number;
  signal?: AbortSignal | undefined;
}

function boundsOf(parameters: unknown): { accountId: string | undefined; limit: number | undefined } {
  const { accountId, limit } = Object(parameters);
  return {
    accountId: typeof accountId === 'string' ? accountId : undefined,
    limit: typeof limit === 'number' ? limit : undefined,
  };
}

/** Reads an account's rows; long reads need a permit. */
async function readRows<T>(pool: Pool, work: Work<T>, { accountId, limit, signal }: Bounds): Promise<T> {
  if (accountId === undefined || limit < LONG_ROWS_MIN) return await read(pool, work, accountId);
  using _ = noteWaiting();
  const readInTurn = async () => {
    // Waits before the query, since the server would send the rows before this process can handle them.
    await ownTurn(accountId);
    signal?.throwIfAborted();
    return await read(pool, work, accountId);
  };
  return await pool.longReads.run(accountId, readInTurn, { signal, pauses: true });
}
