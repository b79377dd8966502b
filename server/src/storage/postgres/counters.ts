import type pg from 'pg';
import type { Counted, Counters, Statement } from '../database.ts';
import { keptRowMapper } from '../statements.ts';
import { Backoff } from './backoff.ts';
import { compiler, send, toQuery, toRows } from './connection.ts';
import { isConnectionDead, translateError } from './errors.ts';
import type { Pool } from './pool.ts';
import { tryAgain } from './reads.ts';

/** Counting in the database. */
export function createCounters(pool: Pool): Counters {
  return {
    query: (query) => count(pool, query),
    executeCounting: (query, counting, parameters) => executeCounting(pool, query, counting, parameters),
  };
}

/**
 * Runs what the limiter's library asks for: a statement of a few, each alone. What met a dead connection is tried again,
 * and counts twice if only its answer was lost; what met a server that cannot be written is not.
 */
async function count(pool: Pool, { text, values }: { text: string; values: unknown[] }): Promise<{ rows: object[] }> {
  const backoff = new Backoff();
  for (;;) {
    try {
      const { columns, rows } = await pool.use((client) => send(client, { text, values }));
      return { rows: rows.map(keptRowMapper(columns)) as object[] };
    } catch (error) {
      if (!isConnectionDead(error) || !(await backoff.next())) throw translateError(error);
    }
  }
}

/**
 * One transaction, sent at once: when the query fails, nobody waits for the counting as well. Each request of a client begins
 * with it, before it is known whose it is: so it waits for nothing that takes longer.
 */
async function executeCounting<P extends { hash: string }, R, C>(
  pool: Pool,
  query: Statement<P, R>,
  counting: Statement<P, C>,
  parameters: P,
): Promise<Counted<R, C>> {
  const { settings, beginLimits } = pool;
  const [asked, counted] = [compiler.compile(query), compiler.compile(counting)];
  const work = async (client: pg.ClientBase) => {
    const [, answer, counts] = await Promise.allSettled([
      send(client, { text: `begin${beginLimits}` }),
      send(client, toQuery(asked, parameters, settings.preparesStatements)),
      send(client, toQuery(counted, parameters, settings.preparesStatements)),
      send(client, { text: 'commit' }),
    ]);
    if (answer.status === 'rejected') throw answer.reason;
    return {
      rows: toRows(asked, answer.value) as R[],
      counted: counts.status === 'fulfilled' ? (toRows(counted, counts.value) as C[]) : [],
    };
  };
  return await tryAgain(() => pool.share(work, parameters.hash));
}
