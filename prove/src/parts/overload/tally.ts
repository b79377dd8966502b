import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { FloodCounts, FloodReport } from './order.ts';
import { findFault, type RawReply, type Sent } from './requests.ts';

const NANOSECONDS_PER_MS = 1e6;
const FAULTS_TOLD_MAX = 5;

export class Tally {
  readonly counts: FloodCounts = {
    ...{ due: 0, unsent: 0, departed: 0, statuses: {}, faultCount: 0, faults: [], lost: {} },
    told: { stored: [], refused: [], unknown: [] },
  };
  readonly #accepted = createHistogram();
  readonly #refused = createHistogram();
  readonly #ownDelays = monitorEventLoopDelay();
  readonly #isKeyAsked: boolean;
  readonly #startMs = performance.now();

  constructor(isKeyAsked: boolean) {
    this.#isKeyAsked = isKeyAsked;
    this.#ownDelays.enable();
  }

  /** `durationMs` is undefined if the response is not timed. */
  addReply(sent: Sent, reply: RawReply, durationMs?: number): void {
    const { status, body } = reply;
    const { statuses, told, faults } = this.counts;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (durationMs !== undefined && sent.kind !== 'stranger') this.#time(status, durationMs);
    if (status < 300) told.stored.push(...sent.addresses);
    // An interrupted import reports counts, not rows.
    else if (/"created":[1-9]/.test(body.toString('utf8'))) told.unknown.push(...sent.addresses);
    else told.refused.push(...sent.addresses);
    const fault = findFault(sent, reply, this.#isKeyAsked);
    if (fault === undefined) return;
    this.counts.faultCount += 1;
    if (faults.length < FAULTS_TOLD_MAX) faults.push(fault);
  }

  /** The sender gave up. */
  addDeparture(sent: Sent): void {
    this.counts.departed += 1;
    this.counts.told.unknown.push(...sent.addresses);
  }

  addLoss(sent: Sent, reason: string): void {
    const { lost, told } = this.counts;
    lost[reason] = (lost[reason] ?? 0) + 1;
    told.unknown.push(...sent.addresses);
  }

  #time(status: number, durationMs: number): void {
    // A histogram has no zero.
    const durationNs = Math.max(1, Math.round(durationMs * NANOSECONDS_PER_MS));
    const histogram = status < 300 ? this.#accepted : this.#refused;
    histogram.record(durationNs);
  }

  report(): FloodReport {
    const seconds = (performance.now() - this.#startMs) / 1_000;
    const completed = this.#accepted.count;
    return {
      ...this.counts,
      ...{ completed, completedPerSecond: completed / seconds },
      p50Ms: toMs(this.#accepted.percentile(50)),
      p99Ms: toMs(this.#accepted.percentile(99)),
      slowestMs: toMs(this.#accepted.max),
      refused: this.#refused.count,
      refusedP99Ms: this.#refused.count === 0 ? 0 : toMs(this.#refused.percentile(99)),
      ownDelayMs: toMs(this.#ownDelays.max),
    };
  }
}

function toMs(durationNs: number): number {
  return durationNs / NANOSECONDS_PER_MS;
}
