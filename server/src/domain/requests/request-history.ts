import { timeOfId } from '../../lib/ids.ts';
import { DAY_MS, dayOf } from '../../lib/times.ts';
import { ownTurn } from '../../lib/turns.ts';
import {
  compareEntries,
  type EntryPosition,
  entryIdOf,
  firstBlockIdAfter,
  firstBlockIdAt,
  type LoggedRequest,
  parseEntryId,
  parseStoredRequests,
  periodOf,
  type ReadRequest,
  type RequestEntry,
} from '../../model/request-log.ts';
import type { LogDatabase } from '../../storage/database.ts';
import { type BlockRange, findRequestBlocks, type RequestBlock } from '../../storage/request-blocks.ts';

export interface RequestFilter {
  keyId?: string | undefined;
  /** For example, `404` or `4xx`. */
  statuses?: readonly string[] | undefined;
  methods?: readonly string[] | undefined;
  /** The code of the error response. */
  code?: string | undefined;
  /** The beginning of the path. */
  path?: string | undefined;
  /** The start (inclusive) and the end (exclusive), in UTC milliseconds. */
  from?: number | undefined;
  until?: number | undefined;
}

export interface RequestPage {
  entries: RequestEntry[];
  /** Undefined if there are no more entries. A page can be short or empty even if there are more. */
  next: EntryPosition | undefined;
}

/** Blocks per read, which take at most 1 MiB in total. */
const READ_LENGTH = 8;
/**
 * A page ends after examining this many blocks or bytes. Its last period is always examined completely.
 */
const EXAMINED_BLOCKS_MAX = 512;
const EXAMINED_LENGTH_MAX = 4 * 1024 * 1024;

/**
 * Returns the account's requests that match `filter`, newest first, starting after the position `after`.
 * @throws {AppError} `unavailable`
 */
export async function findRequests(
  database: LogDatabase,
  accountId: string,
  filter: RequestFilter,
  { after, limit }: { after: EntryPosition | undefined; limit: number },
): Promise<RequestPage> {
  const entries: RequestEntry[] = [];
  let [blocksLeft, lengthLeft] = [EXAMINED_BLOCKS_MAX, EXAMINED_LENGTH_MAX];
  for await (const { period, blocks } of readPeriods(database, accountId, rangeOf(filter, after))) {
    const found: RequestEntry[] = [];
    for (const block of blocks) {
      await ownTurn(accountId);
      found.push(...matchesIn(block, filter, after));
      blocksLeft -= 1;
      lengthLeft -= block.requests.length;
    }
    entries.push(...found.sort(compareEntries));
    const last = entries[limit - 1];
    if (entries.length > limit && last !== undefined) return { entries: entries.slice(0, limit), next: last };
    if (blocksLeft <= 0 || lengthLeft <= 0) return { entries, next: { at: period, id: '' } };
  }
  return { entries, next: undefined };
}

/** Counts the account's requests per UTC day. Days are numbered from 1970. @throws {AppError} `unavailable` */
export async function countRequestsByDay(
  database: LogDatabase,
  accountId: string,
  { from, to }: { from: number; to: number },
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const range = { since: firstBlockIdAt(from * DAY_MS), before: firstBlockIdAt((to + 1) * DAY_MS), failed: false };
  for await (const { period, blocks } of readPeriods(database, accountId, range)) {
    const day = dayOf(period);
    let count = counts.get(day) ?? 0;
    for (const { omitted } of blocks.flatMap(parseBlock)) count += 1 + omitted;
    counts.set(day, count);
  }
  return counts;
}

/** @throws {AppError} `unavailable` */
export async function findRequest(
  database: LogDatabase,
  accountId: string,
  id: string,
): Promise<RequestEntry | undefined> {
  const parsed = parseEntryId(id);
  if (parsed === undefined) return undefined;
  const { blockId, index } = parsed;
  const [block] = await findRequestBlocks(
    database,
    accountId,
    { since: blockId, before: `${blockId}~`, failed: false },
    1,
  );
  const request = block === undefined ? undefined : parseBlock(block)[index];
  return request && { id, ...request };
}

const LAST_ID = '~';

function rangeOf({ from, until, statuses }: RequestFilter, after: EntryPosition | undefined): BlockRange {
  const ends = [LAST_ID];
  if (until !== undefined) ends.push(firstBlockIdAfter(until));
  if (after !== undefined) ends.push(after.id === '' ? firstBlockIdAt(after.at) : firstBlockIdAfter(after.at));
  return {
    since: from === undefined ? '' : firstBlockIdAt(periodOf(from)),
    before: ends.sort()[0] ?? LAST_ID,
    failed: statuses?.every((status) => status >= '4') ?? false,
  };
}

interface Period {
  period: number;
  blocks: RequestBlock[];
}

/** Reads the blocks of a range, grouped by period, newest first. */
async function* readPeriods(database: LogDatabase, accountId: string, range: BlockRange): AsyncGenerator<Period> {
  let current: Period | undefined;
  let { before } = range;
  for (;;) {
    const blocks = await findRequestBlocks(database, accountId, { ...range, before }, READ_LENGTH);
    for (const block of blocks) {
      const period = timeOfId(block.id);
      if (current !== undefined && current.period !== period) yield current;
      if (current?.period !== period) current = { period, blocks: [] };
      current.blocks.push(block);
      before = block.id;
    }
    if (blocks.length < READ_LENGTH) break;
  }
  if (current !== undefined) yield current;
}

/** The matching requests of a block, in any order. */
function matchesIn(block: RequestBlock, filter: RequestFilter, after: EntryPosition | undefined): RequestEntry[] {
  const { keyId } = filter;
  // Parsing takes most of the time, so blocks without the key are not parsed.
  if (keyId !== undefined && !Buffer.from(block.requests).includes(JSON.stringify(keyId))) return [];
  return parseBlock(block)
    .map((request, index) => ({ id: entryIdOf(block.id, index), ...request }))
    .filter((entry) => matches(entry, filter) && (after === undefined || compareEntries(after, entry) < 0));
}

function parseBlock({ id, requests }: RequestBlock): ReadRequest[] {
  return parseStoredRequests(new TextDecoder().decode(requests), timeOfId(id));
}

function matches(
  request: LoggedRequest,
  { keyId, statuses, methods, code, path, from, until }: RequestFilter,
): boolean {
  const status = String(request.status);
  return (
    (keyId === undefined || request.keyId === keyId) &&
    (statuses?.some((wanted) => wanted === status || wanted === `${status[0]}xx`) ?? true) &&
    (methods?.includes(request.method) ?? true) &&
    (code === undefined || request.code === code) &&
    (path === undefined || request.path.startsWith(path)) &&
    (from === undefined || request.at >= from) &&
    (until === undefined || request.at < until)
  );
}
