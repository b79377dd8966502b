import type { Log } from '../../lib/log.ts';
import { AppError } from '../../model/errors.ts';

/** Refusals of so long are told in one line of the log. */
const REPORT_INTERVAL_MS = 10_000;
/** Those that are refused together are not to come back together. */
const RETRY_SECONDS_MAX = 5;

/** Too many requests wait: this one was not served. */
export class Overloaded extends AppError {
  constructor() {
    const seconds = 1 + Math.floor(Math.random() * RETRY_SECONDS_MAX);
    super(
      'unavailable',
      `More requests are waiting than can be answered soon, and nothing was done; send this one again in ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    );
  }
}

/** Tells the operator how many were refused: a line for each would cost more than the refusal. */
export class RefusalCount {
  readonly #logger: Log['logger'];
  readonly #words: { first: string; report: string };
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `first` is told at once, `report` with the number after a while. */
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
    this.#logger.warn({ refused: this.#count, seconds: REPORT_INTERVAL_MS / 1_000 }, this.#words.report);
    this.#count = 0;
  };
}
