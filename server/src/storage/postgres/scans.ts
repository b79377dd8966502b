import type pg from 'pg';
import type { QueryBuild, ScanOptions, Scans } from '../database.ts';
import type { Run } from '../runs.ts';
import { cachedRowMapper } from '../statements.ts';
import { compiler, type Query, send, withoutNul } from './connection.ts';
import type { Pool } from './pool.ts';
import { type ResultRun, readRun } from './read-run.ts';
import { read } from './reads.ts';

/** Long enough to count or sort millions of listings. */
const SCAN_TIMEOUT_MS = 60_000;

export class PostgresScans implements Scans {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async query<R>(accountId: string, build: QueryBuild<R>, options: ScanOptions = {}): Promise<Run<R>> {
    const makeQuery = () => {
      const { sql: text, parameters } = compiler.compileQuery(build);
      return { text, values: parameters.map(withoutNul) };
    };
    const { columns, rows, isCut } = await this.run(accountId, makeQuery, options);
    return { rows: rows.map(cachedRowMapper(columns)) as R[], isCut };
  }

  /** Like `query`, for rows as arrays. */
  async run(accountId: string, makeQuery: () => Query, options: ScanOptions): Promise<ResultRun> {
    const rejected = this.#pool.longReads.requireRoom(accountId, options);
    if (rejected !== undefined) return await rejected;
    const readInTurn = () => {
      const query = { ...makeQuery(), timeoutMs: SCAN_TIMEOUT_MS };
      const work = (client: pg.ClientBase, tell: (run: ResultRun) => void) =>
        readAlone(client, query, options.bytesMax, tell);
      return read(this.#pool, work, accountId);
    };
    return await this.#pool.longReads.run(accountId, readInTurn, { ...options, pauses: options.continues });
  }

  close(): void {
    this.#pool.longReads.close();
  }
}

/**
 * Makes queries with `bytesMax` read documents by key. Without current statistics, such as after fast growth, the
 * planner would read the whole table for each run.
 */
const BY_KEY = '; set local enable_hashjoin = off; set local enable_mergejoin = off';

/** Runs a query in a transaction with a longer timeout. */
async function readAlone(
  client: pg.ClientBase,
  query: Query,
  bytesMax: number | undefined,
  tell: (run: ResultRun) => void,
): Promise<ResultRun> {
  const settings = `begin read only; set local statement_timeout = ${SCAN_TIMEOUT_MS}`;
  const text = bytesMax === undefined ? settings : settings + BY_KEY;
  const [, run] = await Promise.all([
    send(client, { text }),
    bytesMax === undefined
      ? send(client, query).then((result) => ({ ...result, isCut: false }))
      : readRun(client, query, bytesMax),
  ]);
  tell(run);
  await send(client, { text: 'commit' });
  return run;
}
