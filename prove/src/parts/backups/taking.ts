import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setImmediate as aTurn } from 'node:timers/promises';
import type { Random } from '../../../../testkit/src/random.ts';
import { hasEnded, spawnFor } from '../../../../testkit/src/serving.ts';
import type { Trial } from '../../part.ts';
import { type Site, startWork, type Work } from './work.ts';

const CLOCK = new Int32Array(new SharedArrayBuffer(4));
/** Far longer than a write takes. A write that exceeds this time is waiting for the paused program. */
const STANDSTILL_MAX_MS = 10_000;

/**
 * Pauses a backup program repeatedly while it works on a file. During each pause, the service's writes must
 * succeed, which shows that the program does not hold a lock, however fast the machine is.
 * @returns the number of pauses
 */
async function stepThrough(
  child: ChildProcess,
  { file, stepMs, goOn }: { file: string; stepMs: number; goOn: () => Promise<boolean> },
): Promise<number> {
  let stops = 0;
  let isAtWork = false;
  while (!hasEnded(child)) {
    child.kill('SIGCONT');
    // Block this process, because a timer that fires late could miss the whole backup.
    Atomics.wait(CLOCK, 0, 0, stepMs);
    child.kill('SIGSTOP');
    await aTurn();
    const wasAtWork = isAtWork;
    isAtWork = existsSync(file);
    if (wasAtWork && !isAtWork) break;
    if (!isAtWork) continue;
    assert.ok(await goOn(), 'no write succeeds while a backup is paused');
    stops += 1;
  }
  child.kill('SIGCONT');
  return stops;
}

/** The minimum and the maximum number of acknowledged writes between two backups. */
const ACKNOWLEDGED_MIN = 30;
const ACKNOWLEDGED_MAX = { full: 200, small: 50 };
/** How long a backup runs between two pauses. */
const STEP_MS = { full: 20, small: 2 };
/** During a shorter backup, a write could take half of the time just by waiting for the disk. */
const LONG_MS = 2_000;

export interface Means {
  program: string;
  args: string[];
  env: Record<string, string>;
  /** A file that exists while the program works. */
  partial: string;
}

/** A backup, with the ledger at its start and the sequence at its end (`to`). */
export type Taken = Awaited<ReturnType<typeof take>>;
export type Source = Awaited<ReturnType<typeof takeUnderLoad>>;

/** Takes all backups but the last under load, and pauses every second one repeatedly. */
export async function takeUnderLoad(
  trial: Trial,
  random: Random,
  site: Site & { meansOf(file: string): Means },
  whileItServes?: (first: Taken) => Promise<void>,
) {
  const { name, count } = site;
  const work = await startWork(trial, site);
  const taken: Taken[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % 5 === 0) trial.say(`${name}: ${index} of ${count} backups`);
    await work.goOn(ACKNOWLEDGED_MIN + random.upTo(ACKNOWLEDGED_MAX[trial.size] - ACKNOWLEDGED_MIN));
    const isLast = index > 0 && index === count - 1;
    if (isLast) await work.rest();
    const file = `${trial.directory}/${name}-${index}.backup`;
    taken.push(await take(trial, work, file, site.meansOf(file), index % 2 === 0 && !isLast));
  }
  const [first] = taken;
  assert.ok(first !== undefined);
  const done = await work.finish(() => whileItServes?.(first) ?? Promise.resolve());
  const stops = taken.reduce((sum, backup) => sum + backup.stops, 0);
  if (stops === 0) throw new Error('every backup ended before it could be paused');
  return { ...done, site, taken };
}

async function take(trial: Trial, work: Work, file: string, means: Means, isStepped: boolean) {
  const before = await work.note();
  // Durations mean nothing if the backup is paused.
  const endPhase = isStepped ? undefined : work.probe?.begin();
  const startTimeMs = performance.now();
  const { child, output, closed } = spawnFor(trial, means.program, means.args, means.env);
  const steps = { file: means.partial, stepMs: STEP_MS[trial.size], goOn: () => work.writeOnce(STANDSTILL_MAX_MS) };
  const stops = isStepped ? await stepThrough(child, steps) : 0;
  const code = await closed;
  const durationMs = performance.now() - startTimeMs;
  assert.equal(code, 0, `a backup under load failed: ${output.stderr}`);
  const longestMs = await endPhase?.();
  if (longestMs !== undefined && durationMs > LONG_MS) {
    const [write, whole] = [longestMs, durationMs].map(Math.round);
    assert.ok(longestMs < durationMs / 2, `a write took ${write} ms of the ${whole} ms of a backup`);
  }
  const after = await work.note();
  const { size: bytes } = await stat(file);
  // The ETag of the list of listings, if nothing changed during the backup.
  const etag = before.sequence === after.sequence ? after.etag : undefined;
  return { file, bytes, durationMs, stops, before, to: after.sequence, etag };
}
