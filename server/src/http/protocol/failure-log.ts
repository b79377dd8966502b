import type { Log } from '../../lib/log.ts';
import type { AppError } from '../../model/errors.ts';
import { RejectionCount } from './overload.ts';

/** How often to check whether the database is back. */
const PROBE_INTERVAL_MS = 1_000;
const REPORT_INTERVAL_MS = 10_000;

interface Outage {
  startMs: number;
  /** When the number of failed requests was last reported. */
  reportMs: number;
  failed: number;
}

/**
 * Logs server-side errors. An error that a client can cause appears only in the request's log line. Instead of an error
 * for each failed request, an outage of the database is logged when it begins, every ten seconds, and when it ends.
 */
export class FailureLog {
  readonly #logger: Log['logger'];
  readonly #probe: () => Promise<unknown>;
  readonly #fullDisk: RejectionCount;
  #outage: Outage | undefined;

  /** `probe` rejects while the database is unavailable. */
  constructor(log: Log, probe: () => Promise<unknown>) {
    this.#logger = log.logger;
    this.#probe = probe;
    this.#fullDisk = new RejectionCount(log, {
      first: 'the disk is full: writes are rejected until there is space',
      report: 'writes were rejected because the disk is full',
    });
  }

  add(error: AppError, requestId: string): void {
    const { code, message, cause = error } = error;
    if (this.isOfDatabase(error)) this.#addLost(error, requestId);
    else if (code === 'storage_full') this.#fullDisk.add();
    else if (code === 'internal_error') this.#logger.error({ requestId, err: cause }, message);
  }

  /** Whether the database failed, as opposed to too many requests waiting for it. */
  isOfDatabase({ code, cause }: AppError): boolean {
    return cause !== undefined && (code === 'unavailable' || code === 'outcome_unknown');
  }

  #addLost({ cause, message }: AppError, requestId: string): void {
    if (this.#outage === undefined) {
      this.#logger.error({ requestId, err: cause }, message);
      const startMs = performance.now();
      this.#outage = { startMs, reportMs: startMs, failed: 0 };
      this.#lookLater(this.#outage, 0);
    }
    this.#outage.failed += 1;
  }

  #lookLater(outage: Outage, failedBefore: number): void {
    setTimeout(async () => {
      const isBack = await this.#probe().then(
        () => true,
        () => false,
      );
      const { failed, startMs, reportMs } = outage;
      const nowMs = performance.now();
      const counts = { failedRequests: failed, seconds: Math.round((nowMs - startMs) / 1_000) };
      // Writes can fail while the probe succeeds, so an outage ends only if no request has failed since the last probe.
      if (isBack && failed === failedBefore) {
        this.#logger.info(counts, 'the database is available again');
        this.#outage = undefined;
        return;
      }
      if (nowMs - reportMs >= REPORT_INTERVAL_MS) {
        outage.reportMs = nowMs;
        this.#logger.warn(counts, 'the database is still not available');
      }
      this.#lookLater(outage, failed);
    }, PROBE_INTERVAL_MS).unref();
  }
}
