import type { Call } from './call.ts';
import type { CallOptions } from './options.ts';
import { pause } from './retry.ts';
import type { Transport } from './transport.ts';
import type { EventFilter, EventList, EventQuery, ListingEvent } from './types.ts';

/** A position in the events of an account. */
export interface Position {
  /** The sequence of the last event that was read, or 0. Reading continues with the next one. */
  after: number;
  /** Identifies the history of the database. After a restore, a sequence may belong to another event. */
  epoch?: string | undefined;
}

export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieves a page of the events after a sequence, in order; waits up to `wait` seconds if there are none. */
  list(query: EventQuery = {}, options?: CallOptions): Call<EventList> {
    return listEvents(this.#transport, query, options);
  }

  /**
   * Streams every event after a sequence, each once and in order, even if connections are lost or the service
   * restarts. Without `after`, the stream starts with the account's first event. To resume later, store the last
   * `sequence` and `epoch`. With `type`, `listingId`, or `feed`, the stream contains only the events that match.
   * @throws {EventsExpiredError} if an event after the position is no longer available (events are kept for 30
   * days), or if the database was restored; list all listings again, or use `listings.sync`
   */
  async *follow(
    position: Partial<Position> & EventFilter = {},
    options: CallOptions = {},
  ): AsyncGenerator<ListingEvent & { epoch: string }, void> {
    for await (const { data, epoch } of followPages(this.#transport, position, options)) {
      for (const event of data) yield { ...event, epoch };
    }
  }
}

/** Shorter than 30 seconds, a common idle timeout of proxies. */
const WAIT_SECONDS = 25;
const LIMIT = 1000;
/**
 * An empty response to a long poll within this time means that the service is stopping. The client then waits
 * this long, as after a page that does not continue the stream; immediate retries would form a busy loop.
 */
const PAUSE_MS = 1_000;

function listEvents(transport: Transport, query: EventQuery, options?: CallOptions): Call<EventList> {
  const waitMs = Number(query.wait ?? 0) * 1000;
  return transport.call<EventList>({ method: 'GET', path: '/events', query, waitMs }, options);
}

/**
 * Streams pages of events, each event once and in order, forever or, if `isEndless` is false, until there are
 * no more. After the first response, transient errors are retried without limit by default; an earlier error
 * probably means a wrong address. Errors such as 401 and 410 always end the stream.
 */
export async function* followPages(
  transport: Transport,
  { after = 0, epoch, ...filter }: Partial<Position> & EventFilter,
  options: CallOptions,
  isEndless = true,
): AsyncGenerator<EventList, void> {
  let { maxRetries } = options;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  let wait = 0;
  for (;;) {
    const requestedAtMs = performance.now();
    const page = await listEvents(
      transport,
      { ...filter, after, epoch, wait, limit: LIMIT },
      { ...options, maxRetries },
    );
    maxRetries = options.maxRetries ?? Infinity;
    epoch ??= page.epoch;
    if (page.epoch !== epoch || !isNext(page, after, isFiltered)) {
      await pause(PAUSE_MS, options.signal);
    } else if (page.nextAfter > after) {
      if (page.data.length > 0) yield page;
      after = page.nextAfter;
    } else {
      if (!isEndless) return;
      if (wait > 0 && performance.now() - requestedAtMs < PAUSE_MS) await pause(PAUSE_MS, options.signal);
      wait = WAIT_SECONDS;
    }
  }
}

/**
 * Whether the page continues right after `after`; otherwise, it is a cached response to another request.
 * Without a filter, sequences have no gaps.
 */
function isNext({ data, nextAfter }: EventList, after: number, isFiltered: boolean): boolean {
  if (isFiltered) return nextAfter >= after && data.every(({ sequence }) => sequence > after && sequence <= nextAfter);
  return data.every(({ sequence }, index) => sequence === after + index + 1) && nextAfter === after + data.length;
}
