import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from '../../../../server/test/support/serving.ts';
import type { Trial } from '../../part.ts';
import { clockMs } from '../overload/order.ts';
import type { AttackReport } from './attack.ts';
import { Attacker } from './attacker.ts';
import { type Attempt, findBroken, JUDGED_BODY_BYTES, tryOften } from './judgement.ts';
import type { Member } from './member.ts';
import type { Noticed } from './neighbour.ts';
import { type Setting, type Stage, setStage } from './stage.ts';

const ATTACK_MS = { full: 2_000, small: 1_000 };
const QUIET_MS = { full: 3_000, small: 1_000 };
/** What runs for longer after an attack runs until it is ended. */
const RUN_ON_MAX_MS = 2_900;
const BYTES_PER_MB = 1e6;
const MEBIBYTE = 1024 * 1024;

/** What came of one member of the corpus on one setting. */
export interface Tried extends Attempt {
  member: Member;
  setting: Setting;
  broken: string[];
}

export interface Siege {
  setting: Setting;
  quiet: Noticed;
  tried: Tried[];
}

/** Attacks a service with each of the members, one after the other. */
export async function besiege(trial: Trial, setting: Setting, members: readonly Member[]): Promise<Siege> {
  const stage = await setStage(trial, setting);
  const attacker = new Attacker(trial);
  const quiet = await measureQuiet(stage, trial);
  const tried: Tried[] = [];
  let state = await settle(stage);
  for (const member of members) {
    const attempt = await tryOften(
      async () => {
        const [made, next] = await attack(stage, attacker, member, { ...state, quietCores: quiet.cores }, trial);
        state = next;
        return made;
      },
      trial.size,
      member,
    );
    const broken = findBroken(attempt, trial.size, member);
    tried.push({ ...attempt, member, setting, broken });
    trial.say(describe(tried.at(-1)));
  }
  stage.neighbour.end();
  await stage.service.end('SIGTERM');
  return { setting, quiet: quiet.noticed, tried };
}

async function measureQuiet({ neighbour, gauge }: Stage, { size }: Trial) {
  const secondsBefore = gauge.cpuSeconds(true);
  const noticed = await neighbour.during(() => sleep(QUIET_MS[size]));
  return { noticed, cores: ((gauge.cpuSeconds(true) - secondsBefore) * 1_000) / QUIET_MS[size] };
}

/** The memory of a service between two attacks: `firstBytes` is from before the first one. */
interface Settled {
  firstBytes: number;
  bytes: number;
}

async function settle(stage: Stage, firstBytes?: number): Promise<Settled> {
  const bytes = (await stage.gauge.settledBytes()) ?? Number.NaN;
  return { bytes, firstBytes: firstBytes ?? bytes };
}

/** @returns what came of it, and how the service is after it: a new one if this one is no use any more */
async function attack(
  stage: Stage,
  attacker: Attacker,
  member: Member,
  before: Settled & { quietCores: number },
  { size }: Trial,
): Promise<[Attempt, Settled]> {
  const { gauge, neighbour, service, scene } = stage;
  const pids = gauge.pids().join();
  const startMs = clockMs();
  const startSeconds = gauge.cpuSeconds();
  const endMemory = gauge.watchMemory();
  let report: AttackReport | undefined;
  let running: Promise<number> = Promise.resolve(0);
  const noticed = await neighbour.during(async () => {
    await attacker.start(member.name, scene);
    await sleep(ATTACK_MS[size]);
    report = await attacker.stop();
    running = gauge.runsOn(before.quietCores);
  });
  const runOnMs = await running;
  if (report === undefined) throw new Error('the attack has not ended');
  const usedSeconds = gauge.cpuSeconds() - startSeconds - before.quietCores * ((clockMs() - startMs) / 1_000);
  const growthMb = (endMemory() - before.bytes) / BYTES_PER_MB;
  const worst = gauge.worstSince(startMs);
  const isGone = hasEnded(service.child) || gauge.pids().join() !== pids;
  const after = isGone || runOnMs > RUN_ON_MAX_MS ? undefined : await settle(stage, before.firstBytes);
  const isUsable = after !== undefined && !Number.isNaN(after.bytes);
  const figures = {
    ...{ readMs: noticed.readP99Ms, writeMs: noticed.writeP99Ms, ...worst },
    ...{ growthMb, leftMb: isUsable ? (after.bytes - before.firstBytes) / BYTES_PER_MB : growthMb, runOnMs },
    cpuSeconds: costOf(report, usedSeconds),
  };
  service.log.length = 0;
  const attempt = { figures, failed: noticed.failed, words: noticed.words, hasEnded: isGone, report };
  if (isUsable) return [attempt, after];
  await stage.restart();
  return [attempt, await settle(stage)];
}

/** In seconds for a MiB of bodies that are large enough to be what costs. */
function costOf({ sent, unpackedBytes }: AttackReport, usedSeconds: number): number | undefined {
  if (unpackedBytes < sent * JUDGED_BODY_BYTES || sent === 0) return undefined;
  return (Math.max(0, usedSeconds) * MEBIBYTE) / unpackedBytes;
}

function describe(tried: Tried | undefined): string {
  if (tried === undefined) return '';
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
