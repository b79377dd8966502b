import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { FloodReport } from './order.ts';
import { findFault, type RawReply, type Sent } from './requests.ts';

const NANOSECONDS_PER_MS = 1e6;
const FAULTS_TOLD_MAX = 5;

/** Counts what comes of requests. */
export class Tally {
  due = 0;
  unsent = 0;
  readonly #faults: string[] = [];
  #faultCount = 0;
  #departed = 0;
  readonly #statuses: Record<string, number> = {};
  readonly #lost: Record<string, number> = {};
  readonly #told: FloodReport['told'] = { stored: [], refused: [], unknown: [] };
  readonly #accepted = createHistogram();
  readonly #refused = createHistogram();
  readonly #ownDelays = monitorEventLoopDelay();
  readonly #isKeyAsked: boolean;
  readonly #startMs = performance.now();

  constructor(isKeyAsked: boolean) {
    this.#isKeyAsked = isKeyAsked;
    this.#ownDelays.enable();
  }

  /** A reply, after so long; nothing if it is not to be timed. */
  addReply(sent: Sent, reply: RawReply, durationMs?: number): void {
    const { status, body } = reply;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (durationMs !== undefined && sent.kind !== 'stranger') this.#time(status, durationMs);
    if (status < 300) this.#told.stored.push(...sent.addresses);
    // An import that ended in the middle says what it has saved, and not which.
    else if (/"created":[1-9]/.test(body.toString('utf8'))) this.#told.unknown.push(...sent.addresses);
    else this.#told.refused.push(...sent.addresses);
    const fault = findFault(sent, reply, this.#isKeyAsked);
    if (fault === undefined) return;
    this.#faultCount += 1;
    if (this.#faults.length < FAULTS_TOLD_MAX) this.#faults.push(fault);
  }

  /** Nobody waits for the reply any more. */
  addDeparture(sent: Sent): void {
    this.#departed += 1;
    this.#told.unknown.push(...sent.addresses);
  }

  addLoss(sent: Sent, reason: string): void {
    this.#lost[reason] = (this.#lost[reason] ?? 0) + 1;
    this.#told.unknown.push(...sent.addresses);
  }

  #time(status: number, durationMs: number): void {
    // Zero is outside of a histogram's range.
    const durationNs = Math.max(1, Math.round(durationMs * NANOSECONDS_PER_MS));
    const histogram = status < 300 ? this.#accepted : this.#refused;
    histogram.record(durationNs);
  }

  /** Of requests that became due in so many seconds. */
  report(): FloodReport {
    const { due, unsent } = this;
    const seconds = (performance.now() - this.#startMs) / 1_000;
    const completed = this.#accepted.count;
    return {
      ...{ due, unsent, completed, completedPerSecond: completed / seconds },
      p50Ms: toMs(this.#accepted.percentile(50)),
      p99Ms: toMs(this.#accepted.percentile(99)),
      slowestMs: toMs(this.#accepted.max),
      statuses: this.#statuses,
      refused: this.#refused.count,
      refusedP99Ms: this.#refused.count === 0 ? 0 : toMs(this.#refused.percentile(99)),
      faultCount: this.#faultCount,
      faults: this.#faults,
      lost: this.#lost,
      departed: this.#departed,
      ownDelayMs: toMs(this.#ownDelays.max),
      told: this.#told,
    };
  }
}

function toMs(durationNs: number): number {
  return durationNs / NANOSECONDS_PER_MS;
}
