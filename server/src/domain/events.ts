import { iterate } from '../lib/iterate.ts';
import type { Head } from '../model/accounts.ts';
import { AppError } from '../model/errors.ts';
import type { Database } from '../storage/database.ts';
import { findEvents, type StoredEvent } from '../storage/events.ts';
import type { EventHub } from './event-hub.ts';
import { getLiveHead, type Principal } from './principals.ts';
import { runSize } from './run-size.ts';

/** Which events somebody wants. */
export interface EventRange {
  /** Those after this sequence. */
  after: number;
  /** The epoch that the sequence is of; undefined if the caller does not say. */
  epoch: string | undefined;
  limit: number;
}

export interface EventPage {
  /** The account's state when they were read. */
  epoch: string;
  first: StoredEvent[];
  /** What comes after the first ones, read run by run as it is asked for; undefined if nothing does. */
  rest: AsyncIterable<StoredEvent[]> | undefined;
}

/** How long somebody is willing to wait for the first event, and what aborts when they have left. */
export interface Patience {
  durationMs: number;
  signal: AbortSignal;
}

/**
 * The account's events of a range. If there is none yet it waits for one; the page is empty when the time is over, when
 * the caller has left and when the service stops.
 * @throws {AppError} `events_expired`; `unauthorized` when the caller is out meanwhile
 */
export async function followEvents(
  { database, eventHub }: { database: Database; eventHub: EventHub },
  principal: Principal,
  { after, epoch = principal.epoch, limit }: EventRange,
  { durationMs, signal }: Patience,
): Promise<EventPage> {
  const { accountId } = principal;
  const endTimeMs = performance.now() + durationMs;
  const read = (head: Head) => readPage(database, principal, head, { after, epoch, limit });
  let page = await read(principal);
  for (;;) {
    const leftMs = endTimeMs - performance.now();
    if (page.first.length > 0 || leftMs <= 0 || eventHub.isStopped) return page;
    await eventHub.wait(accountId, after, leftMs, signal);
    if (signal.aborted) return page;
    page = await eventHub.read(accountId, async () => read(await getLiveHead(database, principal)));
  }
}

/** A page has fewer events than asked for once their listings have so many bytes. */
const PAGE_BYTES_MAX = 1024 * 1024;
/** What comes whole or not at all. The rest of a longer page is read while it is sent, and may be cut. */
const FIRST_RUN = { limit: 300, bytesMax: 256 * 1024 };

/** @throws {AppError} `events_expired` unless everything that happened after `after` can be told */
async function readPage(database: Database, principal: Principal, head: Head, range: EventRange): Promise<EventPage> {
  const { after, epoch, limit } = range;
  if (epoch !== head.epoch)
    throw expired('The database has another epoch: it was restored since, or never had this one');
  if (after > head.sequence) throw expired(`The account has not come so far: its sequence is ${head.sequence}`);
  if (after === head.sequence) return { epoch, first: [], rest: undefined };
  let last = after;
  let bytes = 0;
  const readRun = async (size: { limit: number; bytesMax: number }): Promise<StoredEvent[]> => {
    const left = limit - (last - after);
    const run = { limit: Math.min(size.limit, left), bytesMax: size.bytesMax };
    const { rows } = await findEvents(database, principal.accountId, last, run);
    // Sequences have no gaps, so a missing one was removed.
    if (rows[0]?.sequence !== last + 1) return [];
    last += rows.length;
    bytes += rows.reduce((sum, { doc }) => sum + Buffer.byteLength(doc ?? ''), 0);
    return rows;
  };
  const isOver = () => last >= head.sequence || last - after >= limit || bytes >= PAGE_BYTES_MAX;
  const first = await readRun(FIRST_RUN);
  if (first.length === 0) throw expired('Events after this sequence were removed: it is too long ago');
  const rest = iterate(async () => {
    const rows = isOver() ? [] : await readRun(runSize());
    // After reading, as they may have been out by then.
    await getLiveHead(database, principal);
    return rows.length === 0 ? undefined : rows;
  });
  return { epoch, first, rest: isOver() ? undefined : rest };
}

function expired(reason: string): AppError {
  return new AppError('events_expired', `${reason}. List all listings again, and go on from that list's sequence.`);
}
