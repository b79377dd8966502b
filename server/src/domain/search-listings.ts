import { iterate } from '../lib/iterate.ts';
import type { Search } from '../model/search.ts';
import type { Database, PackedRows } from '../storage/database.ts';
import type { Position } from '../storage/search-conditions.ts';
import { type Found, findDocs, findFirst, findPacked, findPage } from '../storage/searches.ts';
import type { FoundListings, PageRequest } from './page-request.ts';
import { getLiveHead, type Principal } from './principals.ts';
import { runSize } from './run-size.ts';

/**
 * A sorted list is scanned as a whole for each so many listings of it, of which 5 MB are kept; at first fewer are wanted
 * sooner.
 */
const FOUND_MAX = 100_000;
const FOUND_AT_FIRST = 1_000;
/** So few are read as they are found. */
const SHORT_MAX = 101;

/**
 * The account's listings that a search finds, in its order. They are found without their documents, which are read run by
 * run: a listing that is changed in between is served as it then is, or left out if it is no longer what is searched.
 * @throws {AppError} `unauthorized` if the caller is out meanwhile
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
  const found = await findFirst(database.scans, principal.accountId, search, { after: start, limit: wanted, signal });
  const isCut = found.length === wanted;
  // The listing beyond a page only tells that there is one.
  if (isCut && limit !== undefined) found.pop();
  const reading = new Reading({ database, principal, search, signal }, { found, isCut: isCut && limit === undefined });
  const pageEnd = isCut && limit !== undefined ? encodePosition(found[limit - 1]) : undefined;
  const first = await reading.next();
  return { first, rest: reading.isOver ? undefined : reading.rest(), pageEnd };
}

/** A page whose listings are read as they are found; undefined if they turn out to be long. */
async function findShortPage(
  database: Database,
  principal: Principal,
  search: Search,
  wanted: { after: Position | undefined; limit: number; signal: AbortSignal },
): Promise<FoundListings | undefined> {
  const { bytesMax } = runSize();
  const { rows, isCut } = await findPage(database.scans, principal.accountId, search, { ...wanted, bytesMax });
  if (isCut) return undefined;
  const isFull = rows.length === wanted.limit;
  // The listing beyond a page only tells that there is one.
  if (isFull) rows.pop();
  await getLiveHead(database, principal);
  const pageEnd = isFull ? encodePosition(rows.at(-1)) : undefined;
  return { first: rows.map(({ doc }) => doc), rest: undefined, pageEnd };
}

/** Who reads, and what. */
interface Reader {
  database: Database;
  principal: Principal;
  search: Search;
  signal: AbortSignal;
}

/** Reads what was found, and finds what comes after it once that is read. */
class Reading {
  readonly #of: Reader;
  #found: Found[];
  /** What was found after that. */
  #packs: PackedRows<Found>['packs'] = [];
  /** Whether more may come after what was found. */
  #isCut: boolean;

  constructor(of: Reader, start: { found: Found[]; isCut: boolean }) {
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
    const some = this.#found.slice(0, limit);
    const options = { bytesMax, signal, goesOn: true };
    const { docs, count } = await findDocs(database.scans, principal.accountId, search, some, options);
    const last = this.#found[count - 1];
    this.#found = this.#found.slice(count);
    if (this.#found.length === 0) await this.#findMore(last);
    // After reading: an account that was deleted before would end the list as if it were whole.
    await getLiveHead(database, principal);
    return docs;
  }

  rest(): AsyncIterable<string[]> {
    return iterate(async () => (this.isOver ? undefined : this.next()));
  }

  async #findMore(after: Position | undefined): Promise<void> {
    if (this.#packs.length === 0 && this.#isCut) {
      const { database, principal, search, signal } = this.#of;
      const wanted = { after, limit: FOUND_MAX, signal };
      const { packs, count } = await findPacked(database.scans, principal.accountId, search, wanted);
      this.#packs = packs;
      this.#isCut = count === FOUND_MAX;
    }
    this.#found = this.#packs.shift()?.() ?? [];
  }
}

/** Where a page ends, as text for its cursor. */
function encodePosition(last: Position | undefined): string {
  return JSON.stringify([last?.value, last?.id]);
}

function decodePosition(text: string): Position {
  const [value, id] = JSON.parse(text);
  return { value, id };
}
