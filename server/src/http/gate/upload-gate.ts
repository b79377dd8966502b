import { getLiveHead } from '../../domain/principals.ts';
import { AppError } from '../../model/errors.ts';
import type { Database } from '../../storage/database.ts';
import { FairSemaphore, unavailable } from '../../storage/fair-semaphore.ts';
import type { Admitted } from '../protocol/exchange.ts';

/** Bodies of any length that an account may send at a time (contract §1). */
const ACCOUNT_PLACES = 4;
/** In all: each holds up to 4 MiB while it is read, in a record of 1 MiB and its parts. Others wait, by accounts in turn. */
const PLACES = 32;
const WAIT_MAX_MS = 30_000;
/** How soon a body ends whose key or session has ended (contract §1: a second). */
const CHECK_INTERVAL_MS = 500;

/** Who may send a body of any length, and for how long. */
export class UploadGate {
  readonly #database: Database;
  readonly #places = new FairSemaphore(PLACES);
  readonly #counts = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Runs `work`, which reads the body, once there is a place for it. Its `signal` aborts when the client leaves, and when
   * its key, session or account ends.
   * @throws {AppError} `too_many_imports`; `unavailable` when no place becomes free
   */
  async run<T>(exchange: Admitted, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { accountId } = exchange.principal;
    this.#enter(accountId);
    const gone = new AbortController();
    const { signal } = gone;
    const { socket } = exchange.incoming;
    const { timeout = 0 } = socket;
    // No byte may move for long while rows are read and written; `readUpload` has the limits for the sender.
    socket.setTimeout(0);
    // The request itself closes once its body has been read.
    const onClose = () => gone.abort(new AppError('invalid_header', 'The connection ended before the reply did.'));
    socket.once('close', onClose);
    if (socket.destroyed) onClose();
    const check = this.#watch(exchange, gone);
    const patience = setTimeout(() => gone.abort(noPlace()), WAIT_MAX_MS);
    const start = () => {
      clearTimeout(patience);
      return work(signal);
    };
    try {
      return await this.#places.run(accountId, start, { signal });
    } finally {
      clearInterval(check);
      clearTimeout(patience);
      socket.off('close', onClose).setTimeout(timeout);
      this.#leave(accountId);
    }
  }

  #enter(accountId: string): void {
    const count = this.#counts.get(accountId) ?? 0;
    if (count >= ACCOUNT_PLACES) throw tooManyImports();
    this.#counts.set(accountId, count + 1);
  }

  #leave(accountId: string): void {
    const count = (this.#counts.get(accountId) ?? 0) - 1;
    if (count > 0) this.#counts.set(accountId, count);
    else this.#counts.delete(accountId);
  }

  /** Aborts when the key, the session or the account of a request ends. One look at a time, however slow the database. */
  #watch({ principal }: Admitted, gone: AbortController): NodeJS.Timeout {
    let isLooking = false;
    return setInterval(async () => {
      if (isLooking) return;
      isLooking = true;
      await getLiveHead(this.#database, principal).catch((error: unknown) => {
        // A database that is away is met by the next write.
        if (error instanceof AppError && error.code === 'unauthorized') gone.abort(error);
      });
      isLooking = false;
    }, CHECK_INTERVAL_MS);
  }
}

function tooManyImports(): AppError {
  const message = `This account sends ${ACCOUNT_PLACES} imports already; wait until one of them has ended.`;
  return new AppError('too_many_imports', message, { headers: { 'Retry-After': '5' } });
}

function noPlace(): AppError {
  return unavailable('Too many imports are under way; send the file again later.');
}
