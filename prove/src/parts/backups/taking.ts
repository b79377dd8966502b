import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { spawnFor } from '../../../../testkit/src/serving.ts';
import type { Trial } from '../../part.ts';
import type { Random } from '../../random.ts';
import { STANDSTILL_MAX_MS, stepThrough } from './stepping.ts';
import { type Done, type Noted, type Site, startWork, type Work } from './work.ts';

/** A backup comes after so many more acknowledged writes, at least and at most. */
const ACKNOWLEDGED_MIN = 30;
const ACKNOWLEDGED_MAX = { full: 200, small: 50 };
/** A backup runs for so long before it is stopped, and again: in the small form it is over soon. */
const STEP_MS = { full: 20, small: 2 };
/** One that takes so long, with the start of its program, is long beside every write that waits for the disk alone. */
const LONG_MS = 2_000;

/** A way to make a backup. */
export interface Means {
  program: string;
  args: string[];
  env: Record<string, string>;
  /** There while the program works at it. */
  partial: string;
}

/** A backup, and what was known when it was begun and when it was there. */
export interface Taken {
  file: string;
  bytes: number;
  durationMs: number;
  /** How often it stood still while others wrote. */
  stops: number;
  before: Noted;
  /** The account's sequence when it was there. */
  to: number;
  /** The list's ETag, if nothing was written meanwhile. */
  etag: string | undefined;
}

/** What a service had done when it was stopped, and the backups that were taken of it. */
export interface Source extends Done {
  site: Site;
  taken: Taken[];
}

/** Takes backups of a service under load, every second one in steps, the last one while it rests. */
export async function takeUnderLoad(
  trial: Trial,
  random: Random,
  site: Site & { meansOf(file: string): Means },
  whileItServes?: (first: Taken) => Promise<void>,
): Promise<Source> {
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
  if (stops === 0) throw new Error('every backup was over before it could be stopped');
  return { ...done, site, taken };
}

async function take(trial: Trial, work: Work, file: string, means: Means, isStepped: boolean): Promise<Taken> {
  const before = await work.note();
  // What is stopped on purpose says nothing of times.
  const endPhase = isStepped ? undefined : work.probe?.begin();
  const startTimeMs = performance.now();
  const { child, output, closed } = spawnFor(trial, means.program, means.args, means.env);
  const steps = { file: means.partial, stepMs: STEP_MS[trial.size], goOn: () => work.writeOnce(STANDSTILL_MAX_MS) };
  const stops = isStepped ? await stepThrough(child, steps) : 0;
  const code = await closed;
  const durationMs = performance.now() - startTimeMs;
  assert.equal(code, 0, `a backup under load has failed: ${output.stderr}`);
  const longestMs = await endPhase?.();
  if (longestMs !== undefined && durationMs > LONG_MS)
    assert.ok(
      longestMs < durationMs / 2,
      `a write took ${Math.round(longestMs)} ms of the ${Math.round(durationMs)} ms of a backup`,
    );
  const after = await work.note();
  const { size: bytes } = await stat(file);
  const etag = before.sequence === after.sequence ? after.etag : undefined;
  return { file, bytes, durationMs, stops, before, to: after.sequence, etag };
}
