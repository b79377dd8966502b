import { TemporaryDatabase } from './temporary-database.ts';

const CACHE_KIB = 4_096;
const PAGE_BYTES = 4_096;
/**
 * To bound memory and time, values of a failed row that are longer than the first limit are not read, and
 * `workAfter` returns rows up to the second limit in total.
 */
const VALUES_BYTES_MAX = 64 * 1024;
const WORK_BYTES_MAX = 1024 * 1024;
/** Disk space that a run can take: enough for ten million rows of a kilobyte. */
const BYTES_MAX = 16 * 1024 * 1024 * 1024;

const SHORT_VALUES = `case when octet_length(own) <= ${VALUES_BYTES_MAX} then own end`;

/** A row of a feed's file, as kept during a run. */
export interface StagedRow {
  /** The row's position in the file, starting at 1. */
  number: number;
  line: number;
  externalId: string | undefined;
  /** The external ids that an unreadable row can have; undefined for other rows. */
  possibleIds: string[] | undefined;
  /** What the domain needs to rebuild the row; undefined for a row that has an error or was not read. */
  content: string | undefined;
  /** Identifies the row's content; undefined for a row with an error. */
  hash: string | undefined;
  /** The row's own values as JSON text. */
  values: string | undefined;
  cleaned: number;
}

/** `isKnown` is 1 if the row's content was not read. */
export type StagedKey = { externalId: string; number: number; hash: string | null; isKnown: 0 | 1 };

export interface StagedWork {
  number: number;
  kind: StagedKind;
  line: number;
  externalId: string;
  content: string;
  hash: string;
  cleaned: number;
}

/** What a change takes of the account's quotas. `currentBytes` is the stored document's; null for a new listing. */
export type ChangeSize = { docBytes: number; countedBytes: number; currentBytes: number | null };

/** A failed row: `error` is JSON text, as in responses. `values` is null if there are none or if they are long. */
export type StagedFailure = { number: number; error: string; values: string | null };

/** `change`: the listing is written. `mark`: only the listing's mark is written. */
export type StagedKind = 'change' | 'mark';

/**
 * The rows of a file, sorted by external id, and what a run will do with them, in a temporary database. Each call
 * takes less than a millisecond, unless it returns many rows or adds an unreadable row with many cells.
 */
export class StagedFile {
  readonly #database: TemporaryDatabase;

  /** Once the file has `bytesMax` bytes (a multiple of `PAGE_BYTES`), adding to it throws {AppError} `storage_full`. */
  constructor(bytesMax = BYTES_MAX) {
    this.#database = new TemporaryDatabase(`
      pragma page_size = ${PAGE_BYTES};
      pragma cache_size = -${CACHE_KIB};
      pragma max_page_count = ${bytesMax / PAGE_BYTES};
      create table rows (
        number integer primary key, line integer, external_id text, content text, hash text, own text, cleaned integer
      ) strict;
      create table keys (
        external_id text, number integer, hash text, is_known integer, primary key (external_id, number)
      ) strict, without rowid;
      create table possible_ids (external_id text primary key) strict, without rowid;
      create table work (number integer primary key, kind text) strict;
      create table sizes (
        number integer primary key, doc_bytes integer, counted_bytes integer, current_bytes integer
      ) strict;
      create table missing (id text primary key) strict, without rowid;
      create table failures (number integer primary key, error text) strict;
    `);
  }

  add({ number, line, externalId, possibleIds, content, hash, values, cleaned }: StagedRow): void {
    const row = [number, line, externalId, content, hash, values, cleaned];
    this.#database.all('insert into rows values (?, ?, ?, ?, ?, ?, ?)', row);
    if (possibleIds !== undefined) {
      const sql = 'insert or ignore into possible_ids select value from json_each(?)';
      this.#database.all(sql, [JSON.stringify(possibleIds)]);
      return;
    }
    if (externalId === undefined) return;
    const isKnown = hash !== undefined && content === undefined ? 1 : 0;
    this.#database.all('insert into keys values (?, ?, ?, ?)', [externalId, number, hash, isKnown]);
  }

  /** Adds the content of a known row, which was not read at first. */
  complete(number: number, content: string, cleaned: number): void {
    this.#database.all('update rows set content = ?, cleaned = ? where number = ?', [content, cleaned, number]);
  }

  /** The next readable rows with an external id, in UTF-8 order. */
  keysAfter(externalId: string, number: number, limit: number): StagedKey[] {
    const sql = `select external_id as externalId, number, hash, is_known as isKnown from keys
      where (external_id, number) > (?, ?) order by external_id, number limit ?`;
    return this.#database.all(sql, [externalId, number, limit]);
  }

  /** Whether a row has an external id, or can have it. */
  has(externalId: string): boolean {
    const sql = `select 1 from keys where external_id = ?1
      union all select 1 from possible_ids where external_id = ?1 limit 1`;
    return this.#database.all(sql, [externalId]).length > 0;
  }

  contentOf(number: number): string {
    return (
      this.#database.all<{ content: string | null }>('select content from rows where number = ?', [number])[0]
        ?.content ?? ''
    );
  }

  lineOf(number: number): number {
    return this.#database.all<{ line: number }>('select line from rows where number = ?', [number])[0]?.line ?? 0;
  }

  addWork(number: number, kind: StagedKind): void {
    this.#database.all('insert into work values (?, ?)', [number, kind]);
  }

  removeWork(number: number): void {
    this.#database.all('delete from work where number = ?', [number]);
  }

  addSize(number: number, { docBytes, countedBytes, currentBytes }: ChangeSize): void {
    this.#database.all('insert into sizes values (?, ?, ?, ?)', [number, docBytes, countedBytes, currentBytes]);
  }

  /** The next changes with a size, in the order of the file. */
  sizesAfter(number: number, limit: number): (ChangeSize & Pick<StagedWork, 'number' | 'line' | 'externalId'>)[] {
    const sql = `select number, line, external_id as externalId, doc_bytes as docBytes,
        counted_bytes as countedBytes, current_bytes as currentBytes
      from sizes inner join rows using (number) where number > ? order by number limit ?`;
    return this.#database.all(sql, [number, limit]);
  }

  /** The next rows to write, in the order of the file: up to `limit`, but fewer if they are long. */
  workAfter(number: number, limit: number): StagedWork[] {
    const lengths = this.#database.all<{ number: number; bytes: number }>(
      `select number, octet_length(content) as bytes from work inner join rows using (number)
        where number > ? order by number limit ?`,
      [number, limit],
    );
    let total = 0;
    const end = lengths.findIndex(({ bytes }) => {
      total += bytes;
      return total > WORK_BYTES_MAX;
    });
    const sql = `select number, kind, line, external_id as externalId, content, hash, cleaned
      from work inner join rows using (number) where number > ? order by number limit ?`;
    return this.#database.all(sql, [number, end < 0 ? limit : Math.max(end, 1)]);
  }

  /**
   * Adds a listing that is missing from the file. A listing whose external id has changed since the
   * comparison started can be found twice.
   * @returns false the second time
   */
  addMissing(id: string): boolean {
    return this.#database.all('insert or ignore into missing values (?) returning id', [id]).length > 0;
  }

  missingAfter(id: string, limit: number): string[] {
    const sql = 'select id from missing where id > ? order by id limit ?';
    return this.#database.all<{ id: string }>(sql, [id, limit]).map((row) => row.id);
  }

  addFailure(number: number, error: string): void {
    this.#database.all('insert into failures values (?, ?)', [number, error]);
  }

  /** The errors of the first failed rows: up to `limit`, but fewer if they are longer than `bytesMax` in total. */
  firstErrors(limit: number, bytesMax: number): string[] {
    const sql = `select error from (
        select number, error, sum(octet_length(error)) over (order by number) as bytes from failures
        where number <= (select max(number) from (select number from failures order by number limit ?))
      ) where bytes <= ? order by number`;
    return this.#database.all<{ error: string }>(sql, [limit, bytesMax]).map(({ error }) => error);
  }

  failuresAfter(number: number, limit: number): StagedFailure[] {
    const sql = `select failures.number, error, ${SHORT_VALUES} as "values" from failures inner join rows using (number)
      where failures.number > ? order by failures.number limit ?`;
    return this.#database.all(sql, [number, limit]);
  }

  /** A row's own values; null if there are none or if they are long. */
  valuesOf(number: number): string | null {
    const sql = `select ${SHORT_VALUES} as own from rows where number = ?`;
    return this.#database.all<{ own: string | null }>(sql, [number])[0]?.own ?? null;
  }

  [Symbol.dispose](): void {
    this.#database[Symbol.dispose]();
  }
}
