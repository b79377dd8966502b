import { iterate } from '../../lib/iterate.ts';
import { ownTurn } from '../../lib/turns.ts';
import type { Head } from '../../model/accounts.ts';
import { AppError } from '../../model/errors.ts';
import type { Database } from '../../storage/database.ts';
import { type EventFilter, findEvents, findMatchingEvents, type StoredEvent } from '../../storage/events.ts';
import { getLiveHead, type Principal } from '../access/principals.ts';
import { runSize } from '../listings/run-size.ts';
import type { EventHub } from '../writing/event-hub.ts';

export interface EventRange {
  /** The sequence after which the range starts. */
  after: number;
  /** The epoch of `after`; undefined if the client omits it. */
  epoch: string | undefined;
  limit: number;
  /** Undefined if the request has no filter. */
  filter: EventFilter | undefined;
}

export interface EventPage {
  epoch: string;
  first: StoredEvent[];
  /** The events after `first`, read run by run while they are sent; undefined if nothing is left to read. */
  rest: AsyncIterable<StoredEvent[]> | undefined;
  /** The last sequence examined so far. */
  lastExamined(): number;
}

/** How long to wait for the first event. */
interface WaitOptions {
  durationMs: number;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/**
 * Returns the events of a range, and waits for the first if there are none yet. The page is empty if the wait
 * times out, the client disconnects, or the service stops, or if none of the events that the request examines
 * match the filter.
 * @throws {AppError} `events_expired`, or `unauthorized` if the principal loses access
 */
export async function followEvents(
  { database, eventHub }: { database: Database; eventHub: EventHub },
  principal: Principal,
  { after, epoch = principal.epoch, limit, filter }: EventRange,
  { durationMs, signal }: WaitOptions,
): Promise<EventPage> {
  const { accountId } = principal;
  const endTimeMs = performance.now() + durationMs;
  const read = (head: Head, from: number) => readPage(database, principal, head, { after: from, epoch, limit, filter });
  let page = await read(principal, after);
  let { sequence } = principal;
  for (;;) {
    const examined = page.lastExamined();
    const leftMs = endTimeMs - performance.now();
    if (page.first.length > 0 || examined < sequence || leftMs <= 0 || eventHub.isStopped) return page;
    await eventHub.wait(accountId, examined, leftMs, signal);
    if (signal.aborted) return page;
    page = await eventHub.read(accountId, async () => {
      const head = await getLiveHead(database, principal);
      sequence = head.sequence;
      return read(head, examined);
    });
  }
}

/** A page ends early once its listings reach this size in bytes. */
const PAGE_BYTES_MAX = 1024 * 1024;
/** The part of a page that is read before the response starts. The rest is read while the response is being sent. */
const FIRST_RUN = { limit: 300, bytesMax: 256 * 1024 };

/** A page with a higher limit also waits for an event-loop turn before its first read. */
const SHORT_PAGE_MAX = 100;

/** Maximum number of events that are examined for a page if there is a filter, in total and per SQL statement. */
const EXAMINED_MAX = 10_000;
const EXAMINED_PER_RUN = 1_000;

/** @throws {AppError} `events_expired` for another epoch or a future sequence, or if events after `after` expired */
async function readPage(database: Database, principal: Principal, head: Head, range: EventRange): Promise<EventPage> {
  const { after, epoch, limit, filter } = range;
  if (epoch !== head.epoch) throw expired('The database has a different epoch, for example after a restore');
  if (after > head.sequence)
    throw expired(`The sequence is greater than the account's current sequence, which is ${head.sequence}`);
  const until = filter === undefined ? head.sequence : Math.min(head.sequence, after + EXAMINED_MAX);
  let last = after;
  let count = 0;
  let bytes = 0;
  const isOver = () => last >= until || count >= limit || bytes >= PAGE_BYTES_MAX;
  const read = filter === undefined ? readAll : readMatching;
  /** Returns undefined if events have expired. */
  const readRun = async (size: RunSize): Promise<StoredEvent[] | undefined> => {
    const run = { limit: Math.min(size.limit, limit - count), bytesMax: size.bytesMax };
    const found = await read(database, principal.accountId, { after: last, until }, filter ?? {}, run);
    if (found === undefined) return undefined;
    last = found.last;
    count += found.events.length;
    bytes += found.events.reduce((sum, { doc }) => sum + Buffer.byteLength(doc ?? ''), 0);
    return found.events;
  };
  /** Reads runs until one has events, or until the page is complete. */
  const readNext = async (size: () => RunSize): Promise<StoredEvent[] | undefined> => {
    let events: StoredEvent[] | undefined = [];
    while (events?.length === 0 && !isOver()) {
      if (last > after || limit > SHORT_PAGE_MAX) await ownTurn(principal.accountId);
      events = await readRun(size());
    }
    return events;
  };
  const first = await readNext(() => FIRST_RUN);
  if (first === undefined) throw expired('Events after this sequence have expired');
  const rest = iterate(async () => {
    const events = await readNext(runSize);
    // Checked after reading, because the principal may lose access in the meantime.
    await getLiveHead(database, principal);
    return events?.length === 0 ? undefined : events;
  });
  return { epoch, first, rest: isOver() ? undefined : rest, lastExamined: () => last };
}

type RunSize = ReturnType<typeof runSize>;

/** Events, and the last sequence that was examined. */
interface EventRun {
  events: StoredEvent[];
  last: number;
}

/** Returns undefined if the range's first event has expired: sequences have no gaps, and the oldest expire first. */
async function readAll(
  database: Database,
  accountId: string,
  { after }: { after: number },
  _filter: EventFilter,
  size: RunSize,
): Promise<EventRun | undefined> {
  const { rows } = await findEvents(database, accountId, after, size);
  return rows[0]?.sequence === after + 1 ? { events: rows, last: after + rows.length } : undefined;
}

/** Like `readAll`, but returns only the events that match the filter. */
async function readMatching(
  database: Database,
  accountId: string,
  { after, until }: { after: number; until: number },
  filter: EventFilter,
  { limit, bytesMax }: RunSize,
): Promise<EventRun | undefined> {
  const end = Math.min(until, after + EXAMINED_PER_RUN);
  // Reads one more row, because the first event is read even if it does not match.
  const size = { limit: limit + 1, bytesMax };
  const { rows, isCut } = await findMatchingEvents(database, accountId, { after, until: end }, filter, size);
  if (rows[0]?.sequence !== after + 1) return undefined;
  const isWhole = !isCut && rows.length <= limit;
  const events = rows.filter((event) => matches(event, filter)).slice(0, limit);
  const isFull = events.length === limit;
  const lastRead = (isFull ? events : rows).at(-1)?.sequence ?? after;
  return { events, last: isWhole ? end : lastRead };
}

function matches(event: StoredEvent, { types, listingId, feed }: EventFilter): boolean {
  return (
    (types === undefined || types.includes(event.type)) &&
    (listingId === undefined || event.listingId === listingId) &&
    (feed === undefined || event.feed === feed)
  );
}

function expired(reason: string): AppError {
  return new AppError('events_expired', `${reason}. List all listings again, then continue from that list's sequence.`);
}

/** Returns an event as JSON, which includes the listing's JSON as stored. */
export function eventJson({ sequence, type, listingId, externalId, doc, changed, createdAt }: StoredEvent): string {
  const listing = doc === null ? '' : `,"listing":${doc}`;
  const fields = changed === null ? '' : `,"changed":${changed}`;
  const own = externalId === null ? '' : `,"externalId":${JSON.stringify(externalId)}`;
  const time = new Date(createdAt).toISOString();
  const start = `{"sequence":${sequence},"type":"${type}","listingId":"${listingId}"`;
  return `${start}${own}${listing}${fields},"createdAt":"${time}"}`;
}
