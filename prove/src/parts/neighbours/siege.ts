import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clockMs } from '../../../../bench/src/flood-order.ts';
import { type Cleanup, defer } from '../../../../testkit/src/cleanup.ts';
import { hasEnded as hasExited } from '../../../../testkit/src/serving.ts';
import type { Trial } from '../../part.ts';
import type { AttackReport } from './attack.ts';
import type { Order } from './attack-process.ts';
import type { Load, Stall } from './gauge.ts';
import { type Attempt, findBroken, JUDGED_BODY_BYTES, mediansOf, needsMoreTries, TRIES_MAX } from './judgement.ts';
import type { Member } from './member.ts';
import { type Setting, type Stage, setStage } from './stage.ts';

const ATTACK_PROGRAM = join(import.meta.dirname, 'attack-process.ts');
const ATTACK_MS = { full: 2_000, small: 1_000 };
const QUIET_MS = { full: 3_000, small: 1_000 };
/** A service is killed if it is still working this long after an attack. */
const RUN_ON_MAX_MS = 2_900;
/** If memory grows by less than this, the service is not restarted. Processes keep part of the memory they free. */
const KEPT_MAX_BYTES = 60e6;
/** The machine counts as quiet if the p99 of the other account's reads is at most this. */
const QUIET_READ_MS = 15;
const LOOK_MS = 500;
const LOOKS_MAX = 10;
const BYTES_PER_MB = 1e6;
const MEBIBYTE = 1024 * 1024;

export interface Tried extends Attempt {
  member: Member;
  setting: Setting;
  broken: string[];
  tries: number;
}

export type Siege = Awaited<ReturnType<typeof besiege>>;

/** Runs the attacks. Those above a limit run again after all others, because other load can last for minutes. */
export async function besiege(trial: Trial, setting: Setting, members: readonly Member[]) {
  const stage = await setStage(trial, setting);
  const attacker = startAttacker(trial);
  await untilQuiet(stage);
  const quiet = await measureQuiet(stage, QUIET_MS[trial.size]);
  trial.say(`${setting}, without an attack: GET p99 ${quiet.noticed.readMs.toFixed(0)} ms`);
  let state = await settleOrRestart(stage, await settle(stage));
  const attempt = async (member: Member) => {
    const [made, next] = await attack(stage, attacker, member, { ...state, ...quiet }, trial.size);
    state = next;
    return made;
  };
  const tried: Tried[] = [];
  const judge = (member: Member, attempts: readonly [Attempt, ...Attempt[]]) => {
    const figures = mediansOf(attempts);
    const broken = findBroken(attempts, figures, trial.size, member);
    const each = { ...attempts[0], figures, member, setting, broken, tries: attempts.length };
    tried.push(each);
    trial.say(describe(each));
  };
  const again: { member: Member; first: Attempt }[] = [];
  for (const member of members) {
    const first = await attempt(member);
    if (!needsMoreTries(first, trial.size)) judge(member, [first]);
    else {
      again.push({ member, first });
      trial.say(`${describe({ ...first, member, setting, broken: [], tries: 1 })}, will be tried again`);
    }
  }
  for (const { member, first } of again) {
    const attempts: [Attempt, ...Attempt[]] = [first];
    while (attempts.length < TRIES_MAX) {
      await untilQuiet(stage);
      attempts.push(await attempt(member));
    }
    judge(member, attempts);
  }
  stage.neighbour.end();
  await stage.service.end('SIGTERM');
  return { setting, quiet: quiet.noticed, tried };
}

/** Gives an order to the attacking process. @returns for `tell` and `stop`, the report of the attack so far */
type Attacker = (order: Order) => Promise<AttackReport>;

function startAttacker(t: Cleanup): Attacker {
  const child = fork(ATTACK_PROGRAM);
  const ended = once(child, 'exit');
  defer(t, () => child.kill('SIGKILL'));
  return async (order) => {
    const answered = Promise.withResolvers<AttackReport>();
    child.once('message', answered.resolve);
    child.send(order);
    const answer = await Promise.race([answered.promise, ended]);
    if (Array.isArray(answer)) throw new Error('the attacking process has ended');
    return answer;
  };
}

async function measureQuiet({ neighbour, gauge }: Stage, durationMs: number) {
  const usedBefore = gauge.cpuSeconds();
  const endLoad = gauge.watchLoad();
  const noticed = await neighbour.during(() => sleep(durationMs));
  const usedCores = ((gauge.cpuSeconds() - usedBefore) * 1_000) / durationMs;
  return { noticed, usedCores, load: endLoad() };
}

/** Waits, for a limited time, until the service is warm and the machine is quiet. */
async function untilQuiet(stage: Stage): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const { noticed } = await measureQuiet(stage, LOOK_MS);
    if (noticed.readMs <= QUIET_READ_MS) return;
  }
}

type Memory = Record<'heldBytes' | 'residentBytes', number>;
/** The memory between two attacks and, as `first`, before the first attack since the service started. */
type Settled = Memory & { first: Memory };

async function settle(stage: Stage, before?: Settled): Promise<Settled | undefined> {
  const settled = await stage.gauge.settle();
  return settled && { ...settled, first: before?.first ?? settled };
}

/** Restarts a service that is stuck, or holds so much memory that further growth would not show. */
async function settleOrRestart(stage: Stage, settled: Settled | undefined): Promise<Settled> {
  if (settled !== undefined && settled.residentBytes - settled.first.residentBytes < KEPT_MAX_BYTES) return settled;
  await stage.restart();
  await untilQuiet(stage);
  const fresh = await settle(stage);
  if (fresh === undefined) throw new Error('a new service does not respond');
  return fresh;
}

/** Runs an attack. Restarts a service that has ended, is stuck or still working, or holds too much memory. */
async function attack(
  stage: Stage,
  attacker: Attacker,
  member: Member,
  before: Settled & { usedCores: number; load: Load },
  size: Trial['size'],
): Promise<[Attempt, Settled]> {
  const { gauge, neighbour, service } = stage;
  const pids = gauge.pids().join();
  const watch = watchService(stage, before.usedCores);
  const attacked = Promise.withResolvers<{ report: AttackReport; runsOn: Promise<number> }>();
  const { readMs, writeMs, failed, words } = await neighbour.during(async () => {
    await attacker({ do: 'start', name: member.name, scene: stage.scene });
    await sleep(ATTACK_MS[size]);
    await untilTold(attacker, member);
    const report = await attacker({ do: 'stop' });
    attacked.resolve({ report, runsOn: gauge.runsOn(before.load) });
  });
  const { report, runsOn } = await attacked.promise;
  const runOnMs = await runsOn;
  const { peakBytes, usedSeconds, stall } = watch.end();
  const hasEnded = hasExited(service.child) || gauge.pids().join() !== pids;
  const after = hasEnded ? undefined : await settle(stage, before);
  const longest = after === undefined && !hasEnded ? watch.endlessStall() : stall;
  const growthMb = (peakBytes - before.residentBytes) / BYTES_PER_MB;
  const leftMb = after === undefined ? growthMb : (after.heldBytes - before.first.heldBytes) / BYTES_PER_MB;
  const cpuSeconds = costOf(report, usedSeconds);
  const figures = { readMs, writeMs, ...longest, growthMb, leftMb, cpuSeconds, runOnMs };
  service.log.length = 0;
  const isGood = runOnMs <= RUN_ON_MAX_MS;
  return [{ figures, failed, words, hasEnded, report }, await settleOrRestart(stage, isGood ? after : undefined)];
}

function watchService({ gauge }: Stage, usedCores: number) {
  const startMs = clockMs();
  const startSeconds = gauge.cpuSeconds();
  const endMemory = gauge.watchMemory();
  return {
    end() {
      const ownSeconds = (usedCores * (clockMs() - startMs)) / 1_000;
      const usedSeconds = gauge.cpuSeconds() - startSeconds - ownSeconds;
      return { peakBytes: endMemory(), usedSeconds, stall: gauge.worstSince(startMs) };
    },
    /** A stall that has not ended yet, so no process has reported it. */
    endlessStall(): Stall {
      const endlessMs = clockMs() - startMs;
      return { stallMs: endlessMs, ownMs: endlessMs, workMs: endlessMs };
    },
  };
}

/** Waits for the expected error, which takes longer on a busy machine. */
async function untilTold(attacker: Attacker, { told }: Member): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    if (told === undefined || (await attacker({ do: 'tell' })).codes[told] !== undefined) return;
    await sleep(LOOK_MS);
  }
}

/** Computes the CPU seconds per MiB, or returns undefined if the bodies are too small to check. */
function costOf({ sent, unpackedBytes }: AttackReport, usedSeconds: number): number | undefined {
  if (unpackedBytes < sent * JUDGED_BODY_BYTES || sent === 0) return undefined;
  return (Math.max(0, usedSeconds) * MEBIBYTE) / unpackedBytes;
}

function describe(tried: Tried): string {
  const { member, setting, figures, failed, broken, report } = tried;
  const { readMs, writeMs, stallMs, ownMs, workMs, growthMb, leftMb, cpuSeconds, runOnMs } = figures;
  const cells = [
    `${setting} ${member.name} (${member.by})`.padEnd(48),
    ...[readMs, writeMs, stallMs, ownMs, workMs, growthMb, leftMb].map((value) => value.toFixed(0).padStart(6)),
    (cpuSeconds?.toFixed(2) ?? '-').padStart(6),
    runOnMs.toFixed(0).padStart(6),
    String(failed).padStart(4),
    `${report.sent}→${JSON.stringify({ ...report.statuses, ...report.codes })}`,
    broken.length === 0 ? '' : `BROKEN: ${broken.join('; ').slice(0, 300)}`,
  ];
  return cells.join(' ');
}
