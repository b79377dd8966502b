import type { Call } from './call.ts';
import { Events } from './events.ts';
import { Imports } from './imports.ts';
import { Listings } from './listings.ts';
import { type CallOptions, type ClientOptions, readSettings } from './options.ts';
import { Transport } from './transport.ts';
import type { Me } from './types.ts';

/** The listings of one account, with its API key. */
export class PropertyListings {
  readonly listings: Listings;
  readonly imports: Imports;
  readonly events: Events;
  readonly #transport: Transport;

  /** @throws {ConfigurationError} for a key or a base URL that cannot be one, before any request */
  constructor(options: ClientOptions = {}) {
    const transport = new Transport(readSettings(options));
    this.#transport = transport;
    this.listings = new Listings(transport);
    this.imports = new Imports(transport);
    this.events = new Events(transport);
  }

  /** The account and the key in use. */
  me(options?: CallOptions): Call<Me> {
    return this.#transport.call({ method: 'GET', path: '/me' }, options);
  }
}
