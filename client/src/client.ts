import type { Call } from './call.ts';
import { Events } from './events.ts';
import { Imports } from './imports.ts';
import { Listings } from './listings.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { Transport } from './transport.ts';
import type { Me } from './types.ts';

/** A client for the listings of one account. */
export class PropertyListings {
  readonly listings: Listings;
  readonly imports: Imports;
  readonly events: Events;
  readonly #transport: Transport;

  /** @throws {ConfigurationError} if the key or the base URL is malformed */
  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.listings = new Listings(transport);
    this.imports = new Imports(transport);
    this.events = new Events(transport);
  }

  /** Retrieves the account and the API key in use. */
  me(options?: CallOptions): Call<Me> {
    return this.#transport.call({ method: 'GET', path: '/me' }, options);
  }
}
