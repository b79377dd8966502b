import type { DatabaseSync } from 'node:sqlite';
import sql, { type Sql } from 'sql-template-tag';
import type { Search } from '../../model/search.ts';
import type { Executor } from '../database.ts';
import { type PackedRows, RUN_LENGTH, type Run } from '../runs.ts';
import { hasNotMoved, meets } from '../search-conditions.ts';
import {
  type Cluster,
  type DocsOptions,
  type FoundDoc,
  type ListingSearch,
  type PageOptions,
  type Position,
  type SearchOptions,
  type Totals,
  toCluster,
  toFoundDoc,
  toPosition,
  toTotals,
  type Wanted,
} from '../searches.ts';
import { translateError } from './errors.ts';
import { meetsWords } from './match-rows.ts';
import type { ReaderThreads } from './reader-threads.ts';
import { SearchReader } from './search-reader.ts';

/** Searches on the main thread if they are quick, and otherwise on a reader thread. */
export class SqliteSearch implements ListingSearch<Executor> {
  readonly #reader: SearchReader;
  readonly #threads: ReaderThreads;

  constructor(reader: DatabaseSync, threads: ReaderThreads) {
    this.#reader = new SearchReader(reader);
    this.#threads = threads;
  }

  async findPage(
    accountId: string,
    search: Search,
    wanted: Wanted & { bytesMax: number },
    { check, ...options }: PageOptions<Executor>,
  ): Promise<Run<FoundDoc>> {
    const run = this.#try(() => this.#reader.find(accountId, search, wanted, true));
    const { rows, isCut } =
      run ?? (await this.#threads.run(accountId, { find: { accountId, search, wanted } }, options));
    await check?.();
    return { rows: rows.map(toFoundDoc), isCut };
  }

  async findPositions(
    accountId: string,
    search: Search,
    wanted: Wanted,
    options: SearchOptions,
  ): Promise<PackedRows<Position>> {
    const request = { find: { accountId, search, wanted }, packLength: RUN_LENGTH };
    const { packs, count } = await this.#threads.run(accountId, request, options);
    const open = (pack: Uint8Array) => JSON.parse(new TextDecoder().decode(pack)).map(toPosition);
    return { packs: packs.map((pack) => () => open(pack)), count };
  }

  async findDocs(
    accountId: string,
    search: Search,
    ids: readonly string[],
    { bytesMax, sequenceMax, ...options }: DocsOptions,
  ): Promise<{ docs: string[]; count: number }> {
    const query = sql`select wanted.key, listings.doc
      from json_each(${JSON.stringify(ids)}) as wanted
      cross join listing_facets as facets on facets.account_id = ${accountNumber(accountId)} and facets.id = wanted.value
      cross join listings on listings.number = facets.number and listings.account_id = ${accountId}
      where ${meets(search)} and ${meetsWords(accountId, search)} and ${hasNotMoved(accountId, search, sequenceMax)} order by wanted.key`;
    const { rows, isCut } = await this.#threads.run(accountId, { ...toRequest(query), bytesMax }, options);
    const docs = rows.map(([, doc]) => String(doc));
    return { docs, count: isCut ? Number(rows.at(-1)?.[0]) + 1 : ids.length };
  }

  async count(accountId: string, search: Search, options: SearchOptions): Promise<number> {
    const count = this.#try(() => this.#reader.count(accountId, search, true));
    if (count !== undefined) return count;
    const { rows } = await this.#threads.run(accountId, { count: { accountId, search } }, options);
    return Number(rows[0]?.[0]);
  }

  async cluster(accountId: string, search: Search, sideDegrees: number, options: SearchOptions): Promise<Cluster[]> {
    const { rows } = await this.#threads.run(accountId, { cluster: { accountId, search, sideDegrees } }, options);
    return rows.map(toCluster);
  }

  async countByStatus(accountId: string): Promise<Totals> {
    const counting = sql`select status, sum(count) from listing_counts
      where account_id = ${accountNumber(accountId)} group by status`;
    const newest = sql`select max(created_at) from listing_facets where account_id = ${accountNumber(accountId)}`;
    const [counts, dates] = await Promise.all(
      [counting, newest].map((query) => this.#threads.run(accountId, toRequest(query))),
    );
    return toTotals(counts?.rows ?? [], dates?.rows[0]);
  }

  #try<T>(search: () => T): T {
    try {
      return search();
    } catch (error) {
      throw translateError(error);
    }
  }
}

function accountNumber(accountId: string): Sql {
  return sql`(select number from account_numbers where account_id = ${accountId})`;
}

function toRequest(query: Sql) {
  return { sql: query.sql, values: query.values };
}
