import type { Call } from './call.ts';
import type { CallOptions } from './options.ts';
import { pause } from './retry.ts';
import type { Transport } from './transport.ts';
import type { EventList, EventQuery } from './types.ts';

/** How far somebody has come in the events of an account. */
export interface Position {
  /** Of the last event. */
  after: number;
  /** Of the database: after a restore the same sequence means something else. */
  epoch?: string | undefined;
}

/** Short enough for those between who end what is silent for half a minute. */
const WAIT_SECONDS = 25;
const LIMIT = 1000;
/** An empty reply sooner than this means that the service stops: it is not asked again at once. */
const EMPTY_REPLY_MS = 1_000;

export function listEvents(transport: Transport, query: EventQuery, options?: CallOptions): Call<EventList> {
  const waitMs = Number(query.wait ?? 0) * 1000;
  return transport.call<EventList>({ method: 'GET', path: '/events', query, waitMs }, options);
}

/**
 * Events in pages, each once and in order, for ever. Only until the service has answered once does it give up: a wrong
 * address should be told.
 */
export async function* followPages(
  transport: Transport,
  { after = 0, epoch }: Partial<Position>,
  options: CallOptions,
): AsyncGenerator<EventList, void> {
  let { maxRetries } = options;
  for (let wait = 0; ; wait = WAIT_SECONDS) {
    const askedAtMs = Date.now();
    const query = { after, epoch, wait, limit: LIMIT };
    const page = await listEvents(transport, query, { ...options, maxRetries });
    maxRetries = options.maxRetries ?? Infinity;
    epoch = page.epoch;
    if (page.data.length > 0 && isNext(page, after)) {
      yield page;
      after = page.nextAfter;
    } else if (wait > 0 && Date.now() - askedAtMs < EMPTY_REPLY_MS) {
      await pause(EMPTY_REPLY_MS, options.signal);
    }
  }
}

/** Sequences have no gaps. Another page is not of this question: something between keeps replies. */
function isNext({ data, nextAfter }: EventList, after: number): boolean {
  return data.every(({ sequence }, index) => sequence === after + index + 1) && nextAfter === after + data.length;
}
