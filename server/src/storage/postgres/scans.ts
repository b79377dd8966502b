import type pg from 'pg';
import { noteWaiting } from '../../lib/turns.ts';
import type { QueryBuild, Scans } from '../database.ts';
import type { SearchOptions } from '../searches.ts';
import { cachedRowMapper } from '../statements.ts';
import { compiler, type Query, type Result, withoutNul } from './connection.ts';
import type { Pool } from './pool.ts';
import { read, readWith } from './reads.ts';

/** Long enough to count or sort millions of listings. */
const SCAN_TIMEOUT_MS = 60_000;

export interface ScanOptions extends SearchOptions {
  /** SQL commands for this query only, each preceded by a semicolon. */
  settings?: string;
}

export class PostgresScans implements Scans {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async query<R>(accountId: string, build: QueryBuild<R>): Promise<R[]> {
    const makeQuery = () => {
      const { sql: text, parameters } = compiler.compileQuery(build);
      return { text, values: parameters.map(withoutNul) };
    };
    const { columns, rows } = await this.run(accountId, makeQuery, {});
    return rows.map(cachedRowMapper(columns)) as R[];
  }

  /** Like `query`, but returns rows as arrays. @throws also the reason of an aborted `signal` */
  async run(accountId: string, makeQuery: () => Query, { settings = '', ...options }: ScanOptions): Promise<Result> {
    using _ = noteWaiting();
    const allSettings = `${this.#pool.beginLimits}; set local statement_timeout = ${SCAN_TIMEOUT_MS}${settings}`;
    const readInTurn = () => {
      const query = { ...makeQuery(), timeoutMs: SCAN_TIMEOUT_MS };
      return read(this.#pool, (client: pg.ClientBase) => readWith(client, allSettings, query), accountId);
    };
    return await this.#pool.longReads.run(accountId, readInTurn, {
      ...options,
      isLimited: true,
      pauses: options.isUrgent,
    });
  }

  close(): void {
    this.#pool.longReads.close();
  }
}
