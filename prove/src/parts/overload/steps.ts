import assert from 'node:assert/strict';
import type { FloodReport } from '../../../../bench/src/flood-order.ts';
import type { Trial } from '../../part.ts';
import { type Flow, probeDuring, type Stage } from './stage.ts';

const FACTORS = [0.5, 1, 2, 5, 10];
const SECONDS = 10;
/** The load that measures the capacity. It keeps the service busy without overload. */
const CAPACITY: Flow = { inFlight: 64, seconds: 6 };
const CONNECTIONS = 2_000;
const LIGHT: Flow = { mix: [['listing', 1]], perSecond: 50, seconds: 4 };
const RECOVERY_SECONDS = 5;
/** The maximum ratio of the p99 after and before. It is generous, because other programs affect the p99 too. */
const NORMAL_FACTOR = 4;
const NORMAL_MIN_MS = 100;
export const UNSENT_SHARE_MAX = 0.1;
/** From this factor on, some requests must be rejected. */
const SHED_FACTOR = 5;
/** The minimum share of the throughput at capacity. The flood itself uses part of the machine. */
export const RATIO_MIN = 0.5;

/** The service must recover after each step. `ratio` is the throughput at × 10 divided by that at × 1. */
export async function loadInSteps(trial: Trial, stage: Stage) {
  const before = await stage.flood(LIGHT);
  const capacity = await measureCapacity(trial, stage);
  const figures: [what: string, value: string][] = [
    ['capacity, 64 requests at a time', `${capacity.toFixed(0)}/s`],
    ['p99 of a light load before', ms(before.p99Ms)],
  ];
  const skipped: string[] = [];
  const completed = new Map<number, number>();
  let worst = '';
  for (const factor of FACTORS) {
    trial.say(`${factor} times the capacity`);
    const [report, probing, after] = await overloadBesideLight(stage, capacity * factor);
    if (factor >= SHED_FACTOR) assertShed(report);
    assertRecovered(after, before);
    completed.set(factor, report.completedPerSecond);
    worst = ms(report.p99Ms);
    skipped.push(...tellUnsent(factor, report));
    figures.push([`× ${factor}`, describe(report)]);
    figures.push([`× ${factor}: slowest of ${probing.count} probes, all 200`, ms(probing.slowestMs)]);
    figures.push([`× ${factor}: p99 of a light load from ${RECOVERY_SECONDS} s after the load`, ms(after.p99Ms)]);
  }
  const ratio = (completed.get(10) ?? 0) / (completed.get(1) ?? Number.NaN);
  const share = `${ratio.toFixed(2)} of that at the capacity`;
  assert.ok(ratio >= RATIO_MIN, `at ten times the capacity, throughput is only ${share}`);
  return { figures, skipped, capacity, ratio, worst };
}

export async function measureCapacity(trial: Trial, stage: Stage, kinds: Pick<Flow, 'mix'> = {}): Promise<number> {
  trial.say('measuring the capacity');
  const report = await stage.flood({ ...CAPACITY, ...kinds });
  assertHonest(report);
  return report.completedPerSecond;
}

export async function overload(stage: Stage, flow: Omit<Flow, 'seconds'>, onStart?: (startMs: number) => void) {
  const whole = { ...flow, seconds: SECONDS, connections: CONNECTIONS };
  const result = await probeDuring(stage.url, stage.flood(whole, onStart && { onStart }));
  assertHonest(result[0]);
  return result;
}

/** The light load starts at the same time as the overload, but is measured only after the time for recovery. */
async function overloadBesideLight(stage: Stage, perSecond: number) {
  const skippedSeconds = SECONDS + RECOVERY_SECONDS;
  const after = Promise.withResolvers<FloodReport>();
  const [report, probing] = await overload(stage, { perSecond }, (startMs) => {
    const seconds = skippedSeconds + LIGHT.seconds;
    const timedFromMs = startMs + skippedSeconds * 1_000;
    after.resolve(stage.flood({ ...LIGHT, seconds, timedFromMs }));
    // The error is reported below, unless the overload fails first.
    after.promise.catch(() => {});
  });
  return [report, probing, await after.promise] as const;
}

function assertRecovered(after: FloodReport, before: FloodReport): void {
  assertHonest(after);
  assert.equal(after.refused, 0, `${after.refused} requests are rejected ${RECOVERY_SECONDS} s after the load`);
  const limitMs = Math.max(NORMAL_MIN_MS, before.p99Ms * NORMAL_FACTOR);
  assert.ok(after.p99Ms <= limitMs, `${RECOVERY_SECONDS} s after the load the p99 is ${ms(after.p99Ms)}`);
}

/** Reports a step in which too few of the requests were sent. */
function tellUnsent(factor: number, { due, unsent }: FloodReport): string[] {
  if (unsent <= due * UNSENT_SHARE_MAX) return [];
  const share = `${formatShare(unsent, due)} of the requests at × ${factor}`;
  const sent = `${((due - unsent) / SECONDS).toFixed(0)}/s were sent`;
  return [`${share}, because all 4,000 clients were waiting for a response; ${sent}.`];
}

function formatShare(count: number, of: number): string {
  return `${((100 * count) / of).toFixed(0)}%`;
}

export function describe(report: FloodReport): string {
  const { due, unsent, refused, completedPerSecond, p50Ms, p99Ms, refusedP99Ms, ownDelayMs } = report;
  return [
    `${(due / SECONDS).toFixed(0)}/s due`,
    `${completedPerSecond.toFixed(0)}/s completed`,
    `p50 ${ms(p50Ms)} and p99 ${ms(p99Ms)} of accepted requests`,
    `${formatShare(refused, due)} rejected (p99 ${ms(refusedP99Ms)})`,
    `${formatShare(unsent, due)} not sent because all 4,000 connections were busy`,
    `${report.departed} without a response within 10 s`,
    'no connections lost',
    `the sender at most ${ms(ownDelayMs)} late`,
  ].join(', ');
}

function ms(durationMs: number): string {
  return `${durationMs.toFixed(0)} ms`;
}

/** The maximum share of requests that time out, which can happen on a busy machine. */
const DEPARTED_SHARE_MAX = 0.005;

/** Asserts that all responses are valid, that no connection was lost, and that hardly any request timed out. */
export function assertHonest({ faultCount, faults, lost, departed, due, unsent }: FloodReport): void {
  assert.equal(faultCount, 0, `${faultCount} responses are not valid: ${faults.join('; ')}`);
  assert.deepEqual(lost, {}, `connections ended before the response: ${JSON.stringify(lost)}`);
  assert.ok(departed <= (due - unsent) * DEPARTED_SHARE_MAX, `${departed} requests got no response`);
}

/**
 * The queue has about one second of work, which takes two under overload, and longer on a busy machine. Without a
 * bound, requests would wait many times as long.
 */
const ACCEPTED_P99_MAX_MS = 5_000;

/** Asserts that the queue is bounded. */
export function assertShed(report: FloodReport): void {
  assertRefuses(report);
  const { p99Ms } = report;
  assert.ok(p99Ms <= ACCEPTED_P99_MAX_MS, `accepted requests wait too long: p99 ${p99Ms.toFixed(0)} ms`);
}

export function assertRefuses({ statuses, due, slowestMs }: FloodReport): void {
  const refused = statuses[503] ?? 0;
  assert.ok(refused > 0, `none of ${due} requests was rejected, and one took ${slowestMs.toFixed(0)} ms`);
}
