import type { Log } from '../../lib/log.ts';
import { AppError } from '../../model/errors.ts';

const REPORT_INTERVAL_MS = 10_000;
/** `Retry-After` is random so that clients do not all retry at once. */
const RETRY_SECONDS_MAX = 5;

export class Overloaded extends AppError {
  constructor() {
    const seconds = 1 + Math.floor(Math.random() * RETRY_SECONDS_MAX);
    super('unavailable', `Too many requests are waiting, and nothing was done; retry in ${seconds} s.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }
}

/** Logs the number of rejections, because a log line for each would cost more than the rejection itself. */
export class RejectionCount {
  readonly #logger: Log['logger'];
  readonly #words: { first: string; report: string };
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `first` is logged at the first rejection, and `report` every ten seconds, with the number of rejections. */
  constructor({ logger }: Log, words: { first: string; report: string }) {
    this.#logger = logger;
    this.#words = words;
  }

  add(): void {
    this.#count += 1;
    if (this.#timer !== undefined) return;
    this.#logger.warn(this.#words.first);
    this.#timer = setInterval(this.#report, REPORT_INTERVAL_MS).unref();
  }

  readonly #report = (): void => {
    if (this.#count === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#logger.warn({ rejected: this.#count, seconds: REPORT_INTERVAL_MS / 1_000 }, this.#words.report);
    this.#count = 0;
  };
}
