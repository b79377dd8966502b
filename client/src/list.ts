import { type Answer, Call } from './call.ts';
import { readCompleteList } from './complete-list.ts';
import type { CallOptions } from './options.ts';
import type { Query } from './request.ts';
import type { Transport } from './transport.ts';
import type { ListingPage } from './types.ts';

const PAGE_LIMIT = 100;

/**
 * A list of listings. `await` returns the first page, `for await` streams all listings in constant memory,
 * and `pages()` iterates over pages. No request is sent before one of these is used.
 */
export class ListingList<T extends object> extends Call<ListingPage<T>> implements AsyncIterable<T> {
  readonly #transport: Transport;
  readonly #query: Query;
  readonly #options: CallOptions;

  constructor(transport: Transport, query: Query, options: CallOptions) {
    let first: Promise<Answer<ListingPage<T>>> | undefined;
    super(() => {
      first ??= this.#getPage().withResponse();
      return first;
    });
    this.#transport = transport;
    this.#query = query;
    this.#options = options;
  }

  /**
   * Pages of `limit` listings (default: 100). Listings that are created or deleted while you read do not
   * cause others to be skipped or repeated.
   */
  async *pages(): AsyncGenerator<ListingPage<T>, void> {
    let page = await this.#getPage();
    yield page;
    while (page.nextCursor !== null) {
      page = await this.#getPage(page.nextCursor);
      yield page;
    }
  }

  /** Streams all listings; `limit`, the page size, does not apply. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void> {
    return readCompleteList<T>(this.#transport, { ...this.#query, limit: undefined }, this.#options);
  }

  #getPage(cursor = this.#query.cursor): Call<ListingPage<T>> {
    const query = { ...this.#query, limit: this.#query.limit ?? PAGE_LIMIT, cursor };
    return this.#transport.call<ListingPage<T>>({ method: 'GET', path: '/listings', query }, this.#options);
  }
}
