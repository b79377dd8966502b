import { iterate } from '../../lib/iterate.ts';
import { isFixed, type Search } from '../../model/search.ts';
import type { Database, Executor } from '../../storage/database.ts';
import type { PackedRows } from '../../storage/runs.ts';
import type { Position } from '../../storage/searches.ts';
import { getLiveHead, type Principal } from '../access/principals.ts';
import { runSize } from './run-size.ts';

/** Listings in list order, as stored JSON strings. */
export interface FoundListings {
  first: readonly string[];
  /** The listings after `first`, read run by run while they are sent; undefined if there are none. */
  rest: AsyncIterable<readonly string[]> | undefined;
  /** The `after` of the next page; undefined on the last page. */
  pageEnd: string | undefined;
}

export interface PageRequest {
  canBeStreamed: boolean;
  /** The position before the first listing; undefined for the beginning. */
  after: string | undefined;
  /** Listings per page; undefined for all. */
  limit: number | undefined;
  /** Aborts when the client disconnects, which cancels a waiting search. */
  signal: AbortSignal;
}

/**
 * A sorted list needs one scan for each group of this many matches. A group takes 5 MB of memory, so groups are
 * smaller if other lists also hold one. The first scan returns fewer matches, but sooner.
 */
const FOUND_MAX = 100_000;
const FOUND_AT_FIRST = 1_000;
/** For up to 100 listings, and one that shows whether another page follows, the scan also reads the documents. */
const SHORT_MAX = 101;

/**
 * Scans for matches, and then reads their documents run by run. A listing that changes in between is returned in
 * its new version, or left out if it no longer matches, or if a later scan could have found it again.
 * @throws {AppError} `unauthorized` if the principal loses access
 */
export async function searchListings(
  database: Database,
  principal: Principal,
  search: Search,
  { after, limit, signal }: PageRequest,
): Promise<FoundListings> {
  const wanted = limit === undefined ? FOUND_AT_FIRST : limit + 1;
  const start = after === undefined ? undefined : decodePosition(after);
  if (wanted <= SHORT_MAX) {
    const page = await findShortPage(database, principal, search, { after: start, limit: wanted, signal });
    if (page !== undefined) return page;
  }
  const part = { after: start, limit: wanted };
  const { packs } = await database.search.findPositions(principal.accountId, search, part, { signal });
  const found = packs.flatMap((open) => open());
  const isCut = found.length === wanted;
  // The listing after the page only shows that another page follows.
  if (isCut && limit !== undefined) found.pop();
  const reading = new Reading({ database, principal, search, signal }, { found, isCut: isCut && limit === undefined });
  const pageEnd = isCut && limit !== undefined ? encodePosition(found[limit - 1]) : undefined;
  const first = await reading.next();
  return { first, rest: reading.isOver ? undefined : reading.rest(), pageEnd };
}

/** Reads a page with a single scan; undefined if the page's listings are too long for that. */
async function findShortPage(
  database: Database,
  principal: Principal,
  search: Search,
  { signal, ...part }: { after: Position | undefined; limit: number; signal: AbortSignal },
): Promise<FoundListings | undefined> {
  const { bytesMax } = runSize();
  const wanted = { ...part, bytesMax };
  const check = (executor: Executor = database) => getLiveHead(executor, principal);
  const { rows, isCut } = await database.search.findPage(principal.accountId, search, wanted, { signal, check });
  if (isCut) return undefined;
  const isFull = rows.length === wanted.limit;
  // The listing after the page only shows that another page follows.
  if (isFull) rows.pop();
  const pageEnd = isFull ? encodePosition(rows.at(-1)) : undefined;
  return { first: rows.map(({ doc }) => doc), rest: undefined, pageEnd };
}

/** The signals of the lists that hold a group of matches. */
const holders = new Set<AbortSignal>();

interface Reader {
  database: Database;
  principal: Principal;
  search: Search;
  signal: AbortSignal;
}

/** Reads the matches run by run, and scans for more when none are left. */
class Reading {
  readonly #of: Reader;
  #found: Position[];
  /** The matches found after those in `#found`, still packed. */
  #packs: PackedRows<Position>['packs'] = [];
  /** Whether the scan stopped at its limit, so more matches may follow. */
  #isCut: boolean;
  /**
   * A listing may have moved here after an earlier scan found it. Later scans therefore omit listings with a change
   * of a field of the order after this sequence, which is the list's: clients get the event.
   */
  #sequenceMax: number | undefined;
  readonly #release = (): void => {
    holders.delete(this.#of.signal);
  };

  constructor(of: Reader, start: { found: Position[]; isCut: boolean }) {
    this.#of = of;
    this.#found = start.found;
    this.#isCut = start.isCut;
  }

  get isOver(): boolean {
    return this.#found.length === 0;
  }

  async next(): Promise<string[]> {
    const { database, principal, search, signal } = this.#of;
    const { limit, bytesMax } = runSize();
    const ids = this.#found.slice(0, limit).map(({ id }) => id);
    const options = { bytesMax, signal, isUrgent: true, sequenceMax: this.#sequenceMax };
    const { docs, count } = await database.search.findDocs(principal.accountId, search, ids, options);
    const last = this.#found[count - 1];
    this.#found = this.#found.slice(count);
    if (this.#found.length === 0) await this.#findMore(last);
    // Checked after reading, because the list of a deleted account would otherwise look complete.
    await getLiveHead(database, principal);
    return docs;
  }

  rest(): AsyncIterable<string[]> {
    return iterate(async () => (this.isOver ? undefined : this.next()));
  }

  async #findMore(after: Position | undefined): Promise<void> {
    if (this.#packs.length === 0 && this.#isCut) await this.#findGroup(after);
    this.#found = this.#packs.shift()?.() ?? [];
    if (this.#packs.length === 0) this.#release();
  }

  async #findGroup(after: Position | undefined): Promise<void> {
    const { database, principal, search, signal } = this.#of;
    const wanted = { after, limit: this.#hold() };
    const options = { signal, isUrgent: true };
    const { packs, count } = await database.search.findPositions(principal.accountId, search, wanted, options);
    this.#packs = packs;
    this.#isCut = count === wanted.limit;
    if (!isFixed(search.order)) this.#sequenceMax = principal.sequence;
  }

  /** Counts the list as a holder until all packs are opened or `signal` aborts. @returns the next group's length */
  #hold(): number {
    const { signal } = this.#of;
    signal.throwIfAborted();
    holders.add(signal);
    signal.addEventListener('abort', this.#release, { once: true });
    return Math.max(FOUND_AT_FIRST, Math.floor(FOUND_MAX / holders.size));
  }
}

function encodePosition(last: Position | undefined): string {
  return JSON.stringify([last?.value, last?.id]);
}

function decodePosition(text: string): Position {
  const [value, id] = JSON.parse(text);
  return { value, id };
}
