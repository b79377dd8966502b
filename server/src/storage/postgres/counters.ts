import type pg from 'pg';
import type { Counted, Counters, Statement } from '../database.ts';
import { cachedRowMapper } from '../statements.ts';
import { compiler, send, toQuery, toRows } from './connection.ts';
import { isConnectionDead } from './errors.ts';
import type { Pool } from './pool.ts';
import { retry } from './reads.ts';

export function createCounters(pool: Pool): Counters {
  return {
    query: (query) => count(pool, query),
    executeCounting: (query, counting, parameters) => executeCounting(pool, query, counting, parameters),
  };
}

/**
 * Runs a statement of the limiter's library. The statement is retried if the connection was dead; if only the
 * result was lost, the points are then counted twice. Errors from a read-only server are not retried.
 */
async function count(pool: Pool, { text, values }: { text: string; values: unknown[] }): Promise<{ rows: object[] }> {
  const counting = () => pool.use((client) => send(client, { text, values }));
  const { columns, rows } = await retry(counting, isConnectionDead);
  return { rows: rows.map(cachedRowMapper(columns)) as object[] };
}

/**
 * Sends both statements at once, in one transaction: if the query fails, the server does not run the count. Each
 * request with an API key begins with these statements, before its account is known, so they use the shared
 * connections, which no long work holds.
 */
async function executeCounting<P extends { hash: string }, R, C>(
  pool: Pool,
  query: Statement<P, R>,
  counting: Statement<P, C>,
  parameters: P,
): Promise<Counted<R, C>> {
  const { settings, beginLimits } = pool;
  const [found, counted] = [compiler.compile(query), compiler.compile(counting)];
  const work = async (client: pg.ClientBase) => {
    const [, rows, counts] = await Promise.allSettled([
      send(client, { text: `begin${beginLimits}` }),
      send(client, toQuery(found, parameters, settings.preparesStatements)),
      send(client, toQuery(counted, parameters, settings.preparesStatements)),
      send(client, { text: 'commit' }),
    ]);
    if (rows.status === 'rejected') throw rows.reason;
    return {
      rows: toRows(found, rows.value) as R[],
      counted: counts.status === 'fulfilled' ? (toRows(counted, counts.value) as C[]) : [],
    };
  };
  return await retry(() => pool.share(work, parameters.hash));
}
