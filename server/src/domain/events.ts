import { ownTurn } from '../lib/turns.ts';
import type { Head } from '../model/accounts.ts';
import { AppError } from '../model/errors.ts';
import type { Database, Session } from '../storage/database.ts';
import { findEvents, type StoredEvent } from '../storage/events.ts';
import type { EventHub } from './event-hub.ts';
import { getLiveHead, type Holder } from './holders.ts';

/** Which events somebody wants. */
export interface EventRange {
  /** Those after this sequence. */
  after: number;
  /** The epoch that the sequence is of; undefined if the caller does not say. */
  epoch: string | undefined;
  limit: number;
}

export interface EventPage {
  events: StoredEvent[];
  /** Where the next page begins. */
  nextAfter: number;
  epoch: string;
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
  holder: Holder,
  { after, epoch = holder.epoch, limit }: EventRange,
  { durationMs, signal }: Patience,
): Promise<EventPage> {
  const { accountId } = holder;
  const endTimeMs = performance.now() + durationMs;
  const read = async (head: Head): Promise<EventPage> => {
    const events = await readEvents(database, accountId, head, { after, epoch, limit });
    return toPage(events, after, head);
  };
  let page = await read(holder);
  for (;;) {
    const leftMs = endTimeMs - performance.now();
    if (page.events.length > 0 || leftMs <= 0 || eventHub.isStopped) return page;
    await eventHub.wait(accountId, after, leftMs, signal);
    if (signal.aborted) return page;
    page = await eventHub.read(accountId, async () => read(await getLiveHead(database, holder)));
  }
}

function toPage(events: StoredEvent[], after: number, { epoch }: Head): EventPage {
  return { events, nextAfter: events.at(-1)?.sequence ?? after, epoch };
}

/** A page has fewer events than asked for once their listings are so long. */
const PAGE_LENGTH_MAX = 1024 * 1024;
/** What is read of it in one turn of the event loop, 3 ms: others have their turns in between. */
const RUN = { limit: 300, bytesMax: 256 * 1024 };

/** @throws {AppError} `events_expired` unless everything that happened after `after` can be told */
async function readEvents(session: Session, accountId: string, head: Head, range: EventRange): Promise<StoredEvent[]> {
  const { after, epoch, limit } = range;
  if (epoch !== head.epoch)
    throw expired('The database has another epoch: it was restored since, or never had this one');
  if (after > head.sequence) throw expired(`The account has not come so far: its sequence is ${head.sequence}`);
  if (after === head.sequence) return [];
  const events: StoredEvent[] = [];
  for (let last = after, length = 0; last < head.sequence && events.length < limit && length < PAGE_LENGTH_MAX; ) {
    if (events.length > 0) await ownTurn(accountId);
    const run = { limit: Math.min(RUN.limit, limit - events.length), bytesMax: RUN.bytesMax };
    const { rows } = await findEvents(session, accountId, last, run);
    // Sequences have no gaps, so a missing one was removed.
    if (rows[0]?.sequence !== last + 1) break;
    events.push(...rows);
    last += rows.length;
    length += rows.reduce((sum, { doc }) => sum + (doc?.length ?? 0), 0);
  }
  if (events.length === 0) throw expired('Events after this sequence were removed: it is too long ago');
  return events;
}

function expired(reason: string): AppError {
  return new AppError('events_expired', `${reason}. List all listings again, and go on from that list's sequence.`);
}
