import type pg from 'pg';
import { type PackedRows, type QueryBuild, RUN_LENGTH, type Run, type ScanOptions, type Scans } from '../database.ts';
import { keptRowMapper } from '../statements.ts';
import { type Answer, compiler, type Query, send, withoutNul } from './connection.ts';
import type { Pool } from './pool.ts';
import { type AnswerRun, readRun } from './read-run.ts';
import { read } from './reads.ts';

/** A count or a sorted list of millions may take so long. */
const SCAN_TIMEOUT_MS = 60_000;

export class PostgresScans implements Scans {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async query<R>(accountId: string, build: QueryBuild<R>, options: ScanOptions = {}): Promise<Run<R>> {
    const { columns, rows, isCut } = await this.#read(accountId, build, options);
    return { rows: rows.map(keptRowMapper(columns)) as R[], isCut };
  }

  async queryPacked<R>(accountId: string, build: QueryBuild<R>, options: ScanOptions): Promise<PackedRows<R>> {
    const { columns, rows } = await this.#read(accountId, build, options);
    const packs: (() => R[])[] = [];
    for (let start = 0; start < rows.length; start += RUN_LENGTH) {
      const pack = Buffer.from(JSON.stringify(rows.slice(start, start + RUN_LENGTH)));
      packs.push(() => JSON.parse(pack.toString()).map(keptRowMapper(columns)));
    }
    return { packs, count: rows.length };
  }

  close(): void {
    this.#pool.longReads.close();
  }

  async #read<R>(accountId: string, build: QueryBuild<R>, options: ScanOptions): Promise<AnswerRun> {
    const refused = this.#pool.longReads.requireRoom(accountId, options);
    if (refused !== undefined) return await refused;
    const readInTurn = () => {
      const { sql: text, parameters } = compiler.compileQuery(build);
      const query = { text, values: parameters.map(withoutNul), timeoutMs: SCAN_TIMEOUT_MS };
      const work = (client: pg.ClientBase, tell: (run: AnswerRun) => void) =>
        readAlone(client, query, options.bytesMax, tell);
      return read(this.#pool, work, accountId);
    };
    // What a search begins with goes before what it goes on with.
    return await this.#pool.longReads.run(accountId, readInTurn, { ...options, rests: options.goesOn });
  }
}

/**
 * What ends at a number of bytes are documents that are named by their keys. The planner knows nothing yet of a table that
 * has just grown, and would read all of it for each run.
 */
const BY_KEY = '; set local enable_hashjoin = off; set local enable_mergejoin = off';

/** A query in a transaction of its own, in which the server gives it time. */
async function readAlone(
  client: pg.ClientBase,
  query: Query,
  bytesMax: number | undefined,
  tell: (run: AnswerRun) => void,
): Promise<AnswerRun> {
  const settings = `begin read only; set local statement_timeout = ${SCAN_TIMEOUT_MS}`;
  const text = bytesMax === undefined ? settings : settings + BY_KEY;
  const [, run] = await Promise.all([
    send(client, { text }),
    bytesMax === undefined ? send(client, query).then(whole) : readRun(client, query, bytesMax),
  ]);
  tell(run);
  await send(client, { text: 'commit' });
  return run;
}

function whole(answer: Answer): AnswerRun {
  return { ...answer, isCut: false };
}
