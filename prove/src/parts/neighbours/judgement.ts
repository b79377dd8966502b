import { median } from '../../../../bench/src/statistics.ts';
import type { Trial } from '../../part.ts';
import type { AttackReport } from './attack.ts';
import type { Stall } from './gauge.ts';
import type { Member } from './member.ts';

export interface Figures extends Stall {
  readMs: number;
  writeMs: number;
  /** The growth of memory at the peak (`growthMb`) and after garbage collection (`leftMb`). */
  growthMb: number;
  leftMb: number;
  cpuSeconds: number | undefined;
  runOnMs: number;
}

export interface Attempt {
  figures: Figures;
  failed: number;
  words: readonly string[];
  hasEnded: boolean;
  report: AttackReport;
}

type FigureName = keyof typeof WORDS;

export const WORDS = {
  readMs: 'GET p99 of the other account (ms)',
  writeMs: 'create p99 (ms)',
  stallMs: 'longest stall of the event loop (ms)',
  ownMs: 'longest stall without waiting for a core (ms)',
  workMs: 'longest work in one event-loop turn (ms)',
  growthMb: 'memory growth (MB)',
  leftMb: 'memory not released (MB)',
  cpuSeconds: 'CPU time per decompressed MiB (s)',
  runOnMs: 'work after the attackers disconnected (ms)',
} as const;
export const FIGURES = Object.keys(WORDS).filter((name): name is FigureName => name in WORDS);

type Limits = { [Name in keyof Figures]?: number };

/**
 * In the full form, the limits are the promised ones. `runOnMs` also includes 0.2 s for detection. The small form
 * runs on busy machines, so it checks only the service's own work and what other load cannot explain.
 */
const LIMITS: Record<Trial['size'], Limits> = {
  full: { readMs: 50, writeMs: 300, stallMs: 50, ownMs: 50, growthMb: 150, leftMb: 150, cpuSeconds: 1, runOnMs: 1_200 },
  small: { readMs: 5_000, writeMs: 5_000, workMs: 500, growthMb: 250, leftMb: 150, cpuSeconds: 3, runOnMs: 2_500 },
};

/** For smaller bodies, the cost of the request itself dominates the cost per MiB. */
export const JUDGED_BODY_BYTES = 16 * 1024;
export const TRIES_MAX = 3;
/** A figure this far above its limit is not noise. */
const CLEAR_FACTOR = 3;

/** @returns the limits that the medians of the attempts' figures exceed, and what is wrong in any attempt */
export function findBroken(attempts: readonly Attempt[], figures: Figures, size: Trial['size'], member: Member) {
  const limits = LIMITS[size];
  const above = FIGURES.filter((name) => isAbove(figures, limits, name, 1)).map(
    (name) => `${WORDS[name]} ${(figures[name] ?? 0).toFixed(1)}, at most ${limits[name]}`,
  );
  return [...new Set([...above, ...attempts.flatMap((attempt) => findFaults(attempt, member))])];
}

function findFaults({ failed, words, hasEnded, report }: Attempt, { told, untold }: Member): string[] {
  const faults: string[] = [];
  if (failed > 0) faults.push(`${failed} of the other account's requests failed: ${words[0]}`);
  if (hasEnded) faults.push('a process of the service has ended');
  if ((report.statuses[500] ?? 0) > 0) faults.push('the attacker got internal_error');
  if (untold !== undefined && report.codes[untold] !== undefined) faults.push(`the attacker got ${untold}`);
  if (told !== undefined && report.codes[told] === undefined)
    faults.push(`the attacker did not get ${told}, but ${JSON.stringify({ ...report.statuses, ...report.codes })}`);
  return faults;
}

/** Whether an attack must be tried again: a figure exceeds its limit, perhaps because of other load on the machine. */
export function needsMoreTries(attempt: Attempt, size: Trial['size']): boolean {
  const { figures, failed, hasEnded } = attempt;
  const isAboveBy = (factor: number) => FIGURES.some((name) => isAbove(figures, LIMITS[size], name, factor));
  return isAboveBy(1) && !(failed > 0 || hasEnded || isAboveBy(CLEAR_FACTOR));
}

export function mediansOf(attempts: readonly [Attempt, ...Attempt[]]): Figures {
  const figures = { ...attempts[0].figures };
  for (const name of FIGURES) {
    if (figures[name] !== undefined) figures[name] = median(attempts.map((each) => each.figures[name] ?? 0));
  }
  return figures;
}

function isAbove(figures: Figures, limits: Limits, name: keyof Figures, factor: number): boolean {
  return (figures[name] ?? 0) > (limits[name] ?? Number.POSITIVE_INFINITY) * factor;
}
