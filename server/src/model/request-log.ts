import { firstIdAt } from '../lib/ids.ts';

/** A request made with an API key, as logged when it ends. */
export interface LoggedRequest {
  /** When the request ended, in UTC milliseconds. */
  at: number;
  keyId: string;
  method: string;
  /** The path and query are as sent, but without secrets. */
  path: string;
  query: string;
  /** Null if the client disconnected before the response. */
  status: number | null;
  /** The code of an error response. */
  code: string | null;
  durationMs: number;
  requestId: string;
  /** The account's sequence after the request's last change. */
  sequence: number | null;
  /** The body of an error response. */
  errorBody: string | null;
}

/**
 * A request as stored in a block: without member names, and with its time relative to the start of the
 * block's period. Numbers are small integers, because other numbers take longer to format.
 */
export type StoredRequest = [
  offset: number,
  keyId: string,
  method: string,
  path: string,
  query: string,
  status: number | null,
  duration: number,
  requestId: string,
  sequence: number | null,
  code: string | null,
  errorBody: string | null,
  /** How many similar requests were only counted, not logged. Absent if 0. */
  omitted?: number,
];

/** The index of `omitted`. */
export const OMITTED = 11;

export function toStoredRequest(request: LoggedRequest, period: number): StoredRequest {
  const { at, keyId, method, path, query, status, code, durationMs, requestId, sequence, errorBody } = request;
  const duration = Math.round(durationMs * DURATIONS_PER_MS);
  return [at - period, keyId, method, path, query, status, duration, requestId, sequence, code, errorBody];
}

const DURATIONS_PER_MS = 100;

export interface ReadRequest extends LoggedRequest {
  /** The number of similar requests in the same period that are not in the log. */
  omitted: number;
}

export function parseStoredRequests(text: string, period: number): ReadRequest[] {
  const stored: StoredRequest[] = JSON.parse(text);
  return stored.map((values) => {
    const [offset, keyId, method, path, query, status, duration, requestId, sequence, code, errorBody, omitted = 0] =
      values;
    const durationMs = duration / DURATIONS_PER_MS;
    const at = period + offset;
    return { at, keyId, method, path, query, status, code, durationMs, requestId, sequence, errorBody, omitted };
  });
}

/** A logged request with its id: the id of its block, `-`, and its number in the block. */
export type RequestEntry = ReadRequest & { id: string };

/** Where a page of entries ends. An empty `id` stands for the position after all entries at or after the time `at`. */
export type EntryPosition = Pick<RequestEntry, 'at' | 'id'>;

/** How long logged requests are kept, and the maximum size of the log. */
export interface Retention {
  days: number;
  bytes: number;
}

const BLOCK_ID_PREFIX = 'req';
/** All requests in a block ended in the same period, so only blocks of the same period can overlap in time. */
const PERIOD_MS = 250;
/**
 * How many of a key's reads with the same status, and of its requests above the rate limit, each process logs
 * per period. The rest are only counted, because logging all of the cheapest reads would reduce a core's
 * throughput by a sixth.
 */
export const SIMILAR_MAX = 50;

export function periodOf(timeMs: number): number {
  return timeMs - (timeMs % PERIOD_MS);
}

/** Faster than a comparison with `periodOf`, and called for most requests. */
export function isInPeriod(timeMs: number, period: number): boolean {
  return timeMs >= period && timeMs < period + PERIOD_MS;
}

/** Returns an id that sorts before the ids of all blocks whose period begins at this time or later. */
export function firstBlockIdAt(period: number): string {
  return firstIdAt(BLOCK_ID_PREFIX, period);
}

/** Returns an id that sorts after the ids of all blocks whose period contains `timeMs`, and before later ids. */
export function firstBlockIdAfter(timeMs: number): string {
  return firstBlockIdAt(periodOf(timeMs) + PERIOD_MS);
}

const NUMBER_LENGTH = 4;

/** Entry ids sort in the order of the requests in a block. */
export function entryIdOf(blockId: string, index: number): string {
  return `${blockId}-${String(index).padStart(NUMBER_LENGTH, '0')}`;
}

/** The block and the index of an entry; undefined if the id is malformed. */
export function parseEntryId(id: string): { blockId: string; index: number } | undefined {
  const [, blockId, number] = /^(req_[0-9a-z]{26})-(\d{4})$/.exec(id) ?? [];
  return blockId === undefined ? undefined : { blockId, index: Number(number) };
}

/** Sorts the newest entry first. */
export function compareEntries(one: EntryPosition, other: EntryPosition): number {
  if (one.at !== other.at) return other.at - one.at;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}
