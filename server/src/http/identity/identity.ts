import { hkdfSync } from 'node:crypto';
import type { Log } from '../../lib/log.ts';
import { SESSION_AGE_MAX_MS, SESSION_EXTENDED_MS } from '../../model/users.ts';
import type { Database } from '../../storage/database.ts';
import { getCursorSecret } from '../../storage/database-info.ts';
import { FairSemaphore } from '../../storage/fair-semaphore.ts';
import { type Along, callBetterAuth } from '../../storage/identity-database.ts';
import { endSessionBy, findUsedSession, type UsedSession } from '../../storage/sessions.ts';
import { isHttps } from '../protocol/same-origin.ts';
import type { BetterAuth } from './better-auth.ts';
import { translateRefusal } from './better-auth-errors.ts';
import { readSessionToken } from './session-cookie.ts';

/** RFC 6265bis §4.1.3.2: a browser keeps such a cookie for this host alone, and sends it over HTTPS only. */
const HOST_PREFIX = '__Host-';
const NAME = 'property-listings';
/**
 * So many sessions are read at a time: that takes 1 to 2 ms of the event loop, most of it at once when a thread has checked the
 * cookie, and a hundred of them would go on in the same turn.
 */
const SESSION_READS_MAX = 4;

interface CallOptions {
  along?: readonly Along[] | undefined;
  passwordField?: string | undefined;
}

/** Each day of use extends a session, but never beyond its last one. */
const KEEP_TO_AGE_MAX: Along = {
  when: 'update sessions',
  async job(transaction, rows) {
    for (const { id, created_at: createdAt } of rows) {
      const latest = new Date(Date.parse(String(createdAt)) + SESSION_AGE_MAX_MS);
      await endSessionBy(transaction, String(id), latest.toISOString());
    }
  },
};

/** better-auth, opened when it is first needed: `/v1` never needs it. */
export class Identity {
  readonly #database: Database;
  readonly #log: Log;
  readonly #isSecure: boolean;
  readonly #sessionTurns = new FairSemaphore(SESSION_READS_MAX);
  #loading: Promise<BetterAuth> | undefined;
  #secret: string | undefined;

  /** `publicUrl` decides whether cookies are for HTTPS only. */
  constructor(database: Database, publicUrl: string | undefined, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#isSecure = isHttps(publicUrl);
  }

  /** What its cookies' names begin with. */
  get cookiePrefix(): string {
    return this.#isSecure ? HOST_PREFIX + NAME : NAME;
  }

  /**
   * Has better-auth do something; `along` is done in the same transaction. `passwordField` is what the form calls the password.
   * @throws {AppError} its refusals in our words; `unavailable`, `storage_full` or `outcome_unknown` for the database's faults
   */
  async call<T>(work: (api: BetterAuth['api']) => Promise<T>, { along, passwordField }: CallOptions = {}): Promise<T> {
    const { api } = await this.#load();
    return callBetterAuth(() => work(api), [...(along ?? []), KEEP_TO_AGE_MAX]).catch((error: unknown) => {
      throw translateRefusal(error, passwordField);
    });
  }

  /**
   * The session of a `Cookie` header if there is nothing to be done with it. Others are for `getSession`: it takes ten times
   * as long, extends a session once a day, and removes one that has ended.
   */
  async findUsedSession(cookie: string): Promise<UsedSession | undefined> {
    const token = readSessionToken(cookie, `${this.cookiePrefix}.session_token`, await this.#getSecret());
    return token === undefined ? undefined : findUsedSession(this.#database, token, SESSION_EXTENDED_MS);
  }

  /**
   * Whose session the cookie of these headers is, and what is to be sent along; null if it is no session.
   * @throws {AppError} as `call` does
   */
  getSession(headers: Headers, query: { disableRefresh?: boolean } = {}) {
    const cookie = headers.get('cookie') ?? '';
    return this.#sessionTurns.run(cookie, () =>
      this.call((api) => api.getSession({ headers, query, returnHeaders: true })),
    );
  }

  /** Signs cookies, and encrypts what belongs to the second factor. */
  async #getSecret(): Promise<string> {
    this.#secret ??= Buffer.from(
      hkdfSync('sha256', await getCursorSecret(this.#database), '', 'better-auth', 32),
    ).toString('hex');
    return this.#secret;
  }

  /** Where that fails, the next one tries again. */
  #load(): Promise<BetterAuth> {
    this.#loading ??= this.#create().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #create(): Promise<BetterAuth> {
    const { createBetterAuth } = await import('./better-auth.ts');
    return createBetterAuth({
      database: this.#database,
      secret: await this.#getSecret(),
      cookiePrefix: this.cookiePrefix,
      isSecure: this.#isSecure,
      log: this.#log,
    });
  }
}
