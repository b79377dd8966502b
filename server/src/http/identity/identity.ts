import { hkdfSync } from 'node:crypto';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../storage/database.ts';
import { getCursorSecret } from '../../storage/database-info.ts';
import { openForBetterAuth } from '../../storage/identity-database.ts';
import type { BetterAuth } from './better-auth.ts';

/** RFC 6265bis §4.1.3.2: a browser keeps such a cookie for this host alone, and sends it over HTTPS only. */
const HOST_PREFIX = '__Host-';
const NAME = 'property-listings';

/** better-auth, loaded when it is first needed: it takes a fifth of a second, and `/v1` never needs it. */
export class Identity {
  readonly #database: Database;
  readonly #log: Log;
  readonly #isSecure: boolean;
  #loading: Promise<BetterAuth> | undefined;

  /** `publicUrl` decides whether cookies are for HTTPS only. */
  constructor(database: Database, publicUrl: string | undefined, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#isSecure = publicUrl?.startsWith('https:') ?? false;
  }

  /** What its cookies' names begin with. */
  get cookiePrefix(): string {
    return this.#isSecure ? HOST_PREFIX + NAME : NAME;
  }

  load(): Promise<BetterAuth> {
    this.#loading ??= this.#create();
    return this.#loading;
  }

  async #create(): Promise<BetterAuth> {
    const { createBetterAuth } = await import('./better-auth.ts');
    const cursorSecret = await getCursorSecret(this.#database);
    return createBetterAuth({
      database: openForBetterAuth(this.#database),
      secret: Buffer.from(hkdfSync('sha256', cursorSecret, '', 'better-auth', 32)).toString('hex'),
      cookiePrefix: this.cookiePrefix,
      isSecure: this.#isSecure,
      log: this.#log,
    });
  }
}
