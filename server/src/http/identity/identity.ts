import { hkdfSync } from 'node:crypto';
import { isIP } from 'node:net';
import type { Log } from '../../lib/log.ts';
import { ownTurn } from '../../lib/turns.ts';
import { SESSION_AGE_MAX_MS, SESSION_EXTENDED_MS } from '../../model/users.ts';
import type { Database } from '../../storage/database.ts';
import { getCursorSecret } from '../../storage/database-info.ts';
import { FairSemaphore } from '../../storage/fair-semaphore.ts';
import { type Along, callBetterAuth } from '../../storage/identity-database.ts';
import { endSessionBy, findUsedSession, type UsedSession } from '../../storage/sessions.ts';
import { isHttps } from '../protocol/same-origin.ts';
import type { BetterAuth } from './better-auth.ts';
import { translateIdentityError } from './better-auth-errors.ts';
import { readSessionToken } from './session-cookie.ts';

/** Restricts a cookie to this host and HTTPS (RFC 6265bis §4.1.3.2). */
const HOST_PREFIX = '__Host-';
const NAME = 'property-listings';
/** A session read by better-auth takes 1 to 2 ms. Without a limit, a hundred could run in one event-loop turn. */
const SESSION_READS_MAX = 4;

interface CallOptions {
  along?: readonly Along[] | undefined;
  passwordField?: string | undefined;
}

/** better-auth extends a session once a day; this job keeps the session from exceeding its maximum age. */
const KEEP_TO_AGE_MAX: Along = {
  when: 'update sessions',
  async job(transaction, rows) {
    for (const { id, created_at: createdAt } of rows) {
      const latest = new Date(Date.parse(String(createdAt)) + SESSION_AGE_MAX_MS);
      await endSessionBy(transaction, String(id), latest.toISOString());
    }
  },
};

/** Browsers support passkeys only for domain names over HTTPS, and for localhost. */
function passkeyDomainOf(publicUrl = ''): string {
  const hostname = URL.parse(publicUrl)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
  return isHttps(publicUrl) && isIP(hostname) === 0 ? hostname : 'localhost';
}

/** Sets up better-auth on first use, because `/v1` does not need it. `serve` has loaded the module by then. */
export class Identity {
  readonly #database: Database;
  readonly #log: Log;
  readonly #isSecure: boolean;
  readonly #passkeyDomain: string;
  readonly #sessionTurns = new FairSemaphore(SESSION_READS_MAX);
  #loading: Promise<BetterAuth> | undefined;
  #secret: string | undefined;

  /** With an HTTPS `publicUrl`, browsers send the cookies only over HTTPS. */
  constructor(database: Database, publicUrl: string | undefined, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#isSecure = isHttps(publicUrl);
    this.#passkeyDomain = passkeyDomainOf(publicUrl);
  }

  get cookiePrefix(): string {
    return this.#isSecure ? HOST_PREFIX + NAME : NAME;
  }

  /**
   * Calls better-auth. The jobs in `along` run in the same transactions as better-auth's changes.
   * @throws {AppError} better-auth's errors, translated; or `unavailable`, `storage_full`, or `outcome_unknown` for
   * database errors
   */
  async call<T>(work: (api: BetterAuth['api']) => Promise<T>, { along, passwordField }: CallOptions = {}): Promise<T> {
    const { api } = await this.#load();
    return callBetterAuth(() => work(api), [...(along ?? []), KEEP_TO_AGE_MAX]).catch((error: unknown) => {
      throw translateIdentityError(error, passwordField);
    });
  }

  /** Finds a session that need not be extended, in a tenth of the time that `getSession` takes. */
  async findUsedSession(cookie: string): Promise<UsedSession | undefined> {
    const token = readSessionToken(cookie, `${this.cookiePrefix}.session_token`, await this.#getSecret());
    return token === undefined ? undefined : findUsedSession(this.#database, token, SESSION_EXTENDED_MS);
  }

  /** Returns the session or null, and the headers for the response. @throws {AppError} as `call` does */
  getSession(headers: Headers, query: { disableRefresh?: boolean } = {}) {
    const cookie = headers.get('cookie') ?? '';
    return this.#sessionTurns.run(cookie, () =>
      this.call((api) => api.getSession({ headers, query, returnHeaders: true })),
    );
  }

  async #getSecret(): Promise<string> {
    this.#secret ??= Buffer.from(
      hkdfSync('sha256', await getCursorSecret(this.#database), '', 'better-auth', 32),
    ).toString('hex');
    return this.#secret;
  }

  /** If loading fails, the next call tries again. */
  #load(): Promise<BetterAuth> {
    this.#loading ??= this.#create().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #create(): Promise<BetterAuth> {
    const { createBetterAuth } = await import('./better-auth.ts');
    // The first call sets up better-auth, and creating the call's headers loads Node.js's fetch library. Each
    // takes 20 ms, so the two must not share a turn of the event loop.
    await ownTurn();
    return createBetterAuth({
      database: this.#database,
      secret: await this.#getSecret(),
      cookiePrefix: this.cookiePrefix,
      isSecure: this.#isSecure,
      passkeyDomain: this.#passkeyDomain,
      log: this.#log,
    });
  }
}
