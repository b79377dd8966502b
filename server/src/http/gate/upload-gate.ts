import { getLiveHead } from '../../domain/access/principals.ts';
import { AppError } from '../../model/errors.ts';
import type { Database } from '../../storage/database.ts';
import { unavailable } from '../../storage/errors.ts';
import { FairSemaphore } from '../../storage/fair-semaphore.ts';
import { type Admitted, CLIENT_LEFT, withoutIdleTimeout } from '../protocol/exchange.ts';
import { type Permits, UPLOADS_MAX } from './permits.ts';

/** Concurrent imports and feed runs per process. Each takes up to 4 MiB, for a record of 1 MiB and its parsed form. */
const PLACES = 32;
const WAIT_MAX_MS = 30_000;
/** The interval between access checks: short enough to stop an upload within a second after its key is deleted. */
const CHECK_INTERVAL_MS = 500;

/** Limits concurrent imports and feed runs, and stops those whose key or session is no longer valid. */
export class UploadGate {
  readonly #database: Database;
  readonly #places = new FairSemaphore(PLACES);
  readonly #permits: Permits;

  constructor(database: Database, permits: Permits) {
    this.#database = database;
    this.#permits = permits;
  }

  /**
   * Runs `work`, which reads the body, once a place is free. `signal` aborts when the client
   * disconnects, or when the key, session, or account is no longer valid.
   * @throws {AppError} `too_many_imports`, or `unavailable` if no place becomes free in time
   */
  async run<T>(exchange: Admitted, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { accountId } = exchange.principal;
    const release = await this.#permits.take('upload', accountId);
    if (release === undefined) throw tooManyImports();
    const gone = new AbortController();
    const { signal } = gone;
    const { socket } = exchange.incoming;
    // Listens on the socket, because the request itself closes as soon as its body has been read.
    const onClose = () => gone.abort(CLIENT_LEFT);
    socket.once('close', onClose);
    if (socket.destroyed) onClose();
    const check = this.#watch(exchange, gone);
    const waitTimer = setTimeout(() => gone.abort(noPlace()), WAIT_MAX_MS);
    const start = () => {
      clearTimeout(waitTimer);
      return work(signal);
    };
    try {
      // The connection can be idle while rows are written; `readUpload` limits the sender's pauses.
      return await withoutIdleTimeout(exchange, () => this.#places.run(accountId, start, { signal }));
    } finally {
      clearInterval(check);
      clearTimeout(waitTimer);
      socket.off('close', onClose);
      release();
    }
  }

  /** Runs an atomic import once the account's previous ones have ended. Until then, the body is not read. */
  async keepFile<T>({ principal }: Admitted, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const release = await this.#permits.wait('whole file', principal.accountId, signal);
    return await work().finally(release);
  }

  /** Checks do not overlap, even if the database is slow. */
  #watch({ principal }: Admitted, gone: AbortController): NodeJS.Timeout {
    let isChecking = false;
    return setInterval(async () => {
      if (isChecking) return;
      isChecking = true;
      await getLiveHead(this.#database, principal).catch((error: unknown) => {
        // If the database fails, the next write reports the error.
        if (error instanceof AppError && error.code === 'unauthorized') gone.abort(error);
      });
      isChecking = false;
    }, CHECK_INTERVAL_MS);
  }
}

function tooManyImports(): AppError {
  const message = `${UPLOADS_MAX} of this account's imports are already running; wait until one has finished.`;
  return new AppError('too_many_imports', message, { headers: { 'Retry-After': '5' } });
}

function noPlace(): AppError {
  return unavailable('Too many imports are running; send the file again later.');
}
