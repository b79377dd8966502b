import { iterate } from '../lib/iterate.ts';
import type { Head } from '../model/accounts.ts';
import { AppError } from '../model/errors.ts';
import type { Database } from '../storage/database.ts';
import { findEvents, type StoredEvent } from '../storage/events.ts';
import type { EventHub } from './event-hub.ts';
import { getLiveHead, type Principal } from './principals.ts';
import { runSize } from './run-size.ts';

export interface EventRange {
  /** The sequence after which the range starts. */
  after: number;
  /** The epoch of `after`; undefined if the client omits it. */
  epoch: string | undefined;
  limit: number;
}

export interface EventPage {
  epoch: string;
  first: StoredEvent[];
  /** The events after `first`, read run by run while they are sent; undefined if there are none. */
  rest: AsyncIterable<StoredEvent[]> | undefined;
}

/** How long to wait for the first event. */
interface WaitOptions {
  durationMs: number;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/**
 * Returns the events of a range, and waits for the first if there are none yet. The page is empty
 * after a timeout, when the client disconnects, and when the service stops.
 * @throws {AppError} `events_expired`, or `unauthorized` if the principal loses access
 */
export async function followEvents(
  { database, eventHub }: { database: Database; eventHub: EventHub },
  principal: Principal,
  { after, epoch = principal.epoch, limit }: EventRange,
  { durationMs, signal }: WaitOptions,
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

/** A page ends early once its listings have this many bytes. */
const PAGE_BYTES_MAX = 1024 * 1024;
/** The part of a page that is read before the response starts. The rest is read while it is sent. */
const FIRST_RUN = { limit: 300, bytesMax: 256 * 1024 };

/** @throws {AppError} `events_expired` unless all events after `after` are available */
async function readPage(database: Database, principal: Principal, head: Head, range: EventRange): Promise<EventPage> {
  const { after, epoch, limit } = range;
  if (epoch !== head.epoch) throw expired('The database has another epoch, for example after a restore');
  if (after > head.sequence) throw expired(`The sequence is beyond that of the account, which is ${head.sequence}`);
  if (after === head.sequence) return { epoch, first: [], rest: undefined };
  let last = after;
  let bytes = 0;
  const readRun = async (size: { limit: number; bytesMax: number }): Promise<StoredEvent[]> => {
    const left = limit - (last - after);
    const run = { limit: Math.min(size.limit, left), bytesMax: size.bytesMax };
    const { rows } = await findEvents(database, principal.accountId, last, run);
    // Sequences have no gaps, so a missing event has expired.
    if (rows[0]?.sequence !== last + 1) return [];
    last += rows.length;
    bytes += rows.reduce((sum, { doc }) => sum + Buffer.byteLength(doc ?? ''), 0);
    return rows;
  };
  const isOver = () => last >= head.sequence || last - after >= limit || bytes >= PAGE_BYTES_MAX;
  const first = await readRun(FIRST_RUN);
  if (first.length === 0) throw expired('Events after this sequence have expired');
  const rest = iterate(async () => {
    const rows = isOver() ? [] : await readRun(runSize());
    // Checked after reading, during which the principal may lose access.
    await getLiveHead(database, principal);
    return rows.length === 0 ? undefined : rows;
  });
  return { epoch, first, rest: isOver() ? undefined : rest };
}

function expired(reason: string): AppError {
  return new AppError('events_expired', `${reason}. List all listings again, and continue from that list's sequence.`);
}

/** Returns an event as JSON, and inserts the listing's stored JSON text. */
export function eventJson({ sequence, type, listingId, doc, changed, createdAt }: StoredEvent): string {
  const listing = doc === null ? '' : `,"listing":${doc}`;
  const fields = changed === null ? '' : `,"changed":${changed}`;
  const time = new Date(createdAt).toISOString();
  return `{"sequence":${sequence},"type":"${type}","listingId":"${listingId}"${listing}${fields},"createdAt":"${time}"}`;
}
