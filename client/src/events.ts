import type { Call } from './call.ts';
import { followPages, listEvents, type Position } from './follow.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';
import type { EventList, EventQuery, ListingEvent } from './types.ts';

export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What changed after a sequence, in order; `wait` holds the request for so many seconds until something does. */
  list(query: EventQuery = {}, options?: CallOptions): Call<EventList> {
    return listEvents(this.#transport, query, options);
  }

  /**
   * Every event after a sequence (without `after`: from the first that is kept, at most 30 days old), each once and in order, for ever: through cuts and restarts of the service. To go on
   * later, keep `sequence` and `epoch` of the last one.
   * @throws {EventsExpiredError} when events after the sequence are gone: take the list anew (or `listings.sync`)
   */
  async *follow(
    position: Partial<Position> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ListingEvent & { epoch: string }, void> {
    for await (const { data, epoch } of followPages(this.#transport, position, options)) {
      for (const event of data) yield { ...event, epoch };
    }
  }
}
