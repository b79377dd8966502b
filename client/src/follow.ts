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
const PAUSE_MS = 1_000;

export function listEvents(transport: Transport, query: EventQuery, options?: CallOptions): Call<EventList> {
  const waitMs = Number(query.wait ?? 0) * 1000;
  return transport.call<EventList>({ method: 'GET', path: '/events', query, waitMs }, options);
}

/**
 * Events in pages, each once and in order; for ever, or until there are no more. Once the service has answered, what may pass
 * is tried again without an end: before, a wrong address should be told. A refusal (401, 410) always ends it.
 */
export async function* followPages(
  transport: Transport,
  { after = 0, epoch }: Partial<Position>,
  options: CallOptions,
  isEndless = true,
): AsyncGenerator<EventList, void> {
  let { maxRetries } = options;
  let wait = 0;
  for (;;) {
    const askedAtMs = performance.now();
    const page = await listEvents(transport, { after, epoch, wait, limit: LIMIT }, { ...options, maxRetries });
    maxRetries = options.maxRetries ?? Infinity;
    epoch ??= page.epoch;
    if (page.epoch !== epoch || !isNext(page, after)) {
      await pause(PAUSE_MS, options.signal);
    } else if (page.data.length > 0) {
      yield page;
      after = page.nextAfter;
    } else {
      if (!isEndless) return;
      if (wait > 0 && performance.now() - askedAtMs < PAUSE_MS) await pause(PAUSE_MS, options.signal);
      wait = WAIT_SECONDS;
    }
  }
}

/** Sequences have no gaps. Another page is not of this question: something between keeps replies. */
function isNext({ data, nextAfter }: EventList, after: number): boolean {
  return data.every(({ sequence }, index) => sequence === after + index + 1) && nextAfter === after + data.length;
}
