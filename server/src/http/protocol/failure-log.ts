import type { Log } from '../../lib/log.ts';
import type { AppError } from '../../model/errors.ts';
import { RejectionCount } from './overload.ts';

/** How often to look whether the database is back. */
const PROBE_INTERVAL_MS = 1_000;
/** How often to report the number of failed requests. */
const REPORT_INTERVAL_MS = 10_000;

/** Logs when the database is lost and when it is back, instead of an error for each failed request. */
class Outage {
  readonly #logger: Log['logger'];
  readonly #probe: () => Promise<unknown>;
  #startMs = 0;
  #reportMs = 0;
  #failed = 0;
  #failedBefore = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `probe` rejects while the database is lost. */
  constructor({ logger }: Log, probe: () => Promise<unknown>) {
    this.#logger = logger;
    this.#probe = probe;
  }

  /** Adds a request that failed because of the database. */
  add(error: AppError, requestId: string): void {
    this.#failed += 1;
    if (this.#timer !== undefined) return;
    this.#logger.error({ requestId, err: error.cause ?? error }, error.message);
    this.#startMs = performance.now();
    this.#reportMs = this.#startMs;
    this.#waitForReturn();
  }

  #waitForReturn(): void {
    this.#timer = setTimeout(() => void this.#look(), PROBE_INTERVAL_MS).unref();
  }

  async #look(): Promise<void> {
    const isBack = await this.#probe().then(
      () => true,
      () => false,
    );
    // Writes may fail although the probe succeeds.
    if (isBack && this.#failed === this.#failedBefore) return this.#end();
    this.#failedBefore = this.#failed;
    if (performance.now() - this.#reportMs >= REPORT_INTERVAL_MS) {
      this.#reportMs = performance.now();
      this.#logger.warn(this.#counts(), 'the database is still not available');
    }
    this.#waitForReturn();
  }

  #end(): void {
    this.#logger.info(this.#counts(), 'the database is available again');
    this.#timer = undefined;
    this.#failed = 0;
    this.#failedBefore = 0;
  }

  #counts() {
    return { failedRequests: this.#failed, seconds: Math.round((performance.now() - this.#startMs) / 1_000) };
  }
}

/** Logs the errors of requests that are the service's own. What a client can cause has only the request's line. */
export class FailureLog {
  readonly #logger: Log['logger'];
  readonly #outage: Outage;
  readonly #fullDisk: RejectionCount;

  /** `probe` rejects while the database is lost. */
  constructor(log: Log, probe: () => Promise<unknown>) {
    this.#logger = log.logger;
    this.#outage = new Outage(log, probe);
    this.#fullDisk = new RejectionCount(log, {
      first: 'the disk is full: writes are rejected until there is space',
      report: 'writes were rejected because the disk is full',
    });
  }

  add(error: AppError, requestId: string): void {
    if (this.isOfDatabase(error)) this.#outage.add(error, requestId);
    else if (error.code === 'storage_full') this.#fullDisk.add();
    else if (error.code === 'internal_error')
      this.#logger.error({ requestId, err: error.cause ?? error }, error.message);
  }

  /** Whether the database failed, rather than that too many requests wait for it. */
  isOfDatabase({ code, cause }: AppError): boolean {
    return cause !== undefined && (code === 'unavailable' || code === 'outcome_unknown');
  }
}
