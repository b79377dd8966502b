import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveFor } from '../../../testkit/src/serving.ts';
import type { Outcome, Part, Patch, Trial } from '../part.ts';
import { ADMINISTRATOR, createTenant, settingsOf, withPatches } from '../service.ts';
import { by, Caller, DAY_MS, type Jump, jumpsOf } from './clock/caller.ts';
import { Keys, Limits, Sessions } from './clock/keys.ts';
import { setClock, shiftedEnvironment } from './clock/shift.ts';
import { World } from './clock/world.ts';

export const clock: Part = {
  name: 'clock',
  title: 'Clock',
  promise:
    'Whatever the system clock does, ids increase, cursors and retries stay valid, nothing is removed early, and no client waits for years.',
  run,
};

/** The housekeeping interval, which is short so that rows removed by mistake are noticed. */
const HASTE_MS = 200;
const haste: readonly Patch[] = [
  ['PURGE_INTERVAL_MS', '60_000', String(HASTE_MS)],
  ['EVENT_PURGE_INTERVAL_MS', '600_000', String(HASTE_MS)],
  ['SIGN_IN_PURGE_INTERVAL_MS', '3_600_000', String(HASTE_MS)],
];
/** Long enough for housekeeping to run. */
const HOUSEKEEPING_MS = 5 * HASTE_MS;
/** How long before midnight the requests start. If they do not finish before midnight, this time is doubled. */
const TURN_LEAD_MS = 500;

type Scene = Awaited<ReturnType<typeof prepare>>;

async function run(trial: Trial): Promise<Outcome> {
  const clockFile = join(trial.directory, 'clock');
  setClock(clockFile, 0);
  const tenant = await createTenant(trial);
  const start = (patches: readonly Patch[]) => {
    const settings = settingsOf(withPatches(trial, patches), { ...Limits.settingsOf(trial.size), ...ADMINISTRATOR });
    return serveFor(trial, { ...settings, ...shiftedEnvironment(clockFile, settings.NODE_OPTIONS) });
  };
  const caller = new Caller(await start(haste), tenant.key);
  const scene = await prepare(caller, trial.size, clockFile);
  const jumps = jumpsOf(trial.size, trial.seed);
  for (const jump of jumps) {
    trial.say(`set: ${jump.what}`);
    await make(jump, scene);
    await checkAll(jump.what, scene);
  }
  assert.equal(await caller.service.end(), 0);

  // A new process cannot know that the clock was set before its start, so its housekeeping removes what looks
  // expired. Here, housekeeping has its normal intervals, which are longer than the checks take.
  const restarts = [-400 * DAY_MS, 0, 400 * DAY_MS, 0].slice(0, trial.size === 'full' ? 4 : 1).map(by);
  for (const jump of restarts) {
    trial.say(`started: ${jump.what}`);
    await make(jump, scene);
    caller.service = await start([]);
    scene.world.beginAnew();
    scene.limits.beginAnew();
    scene.sessions.moveOn();
    await checkAll(`${jump.what} at the start`, scene);
    assert.equal(await caller.service.end(), 0);
  }
  return report(jumps, restarts.length, scene);
}

async function prepare(caller: Caller, size: Trial['size'], clockFile: string) {
  const world = new World(caller);
  const [keys, limits, sessions] = [new Keys(caller, world), new Limits(caller, size), new Sessions(caller)];
  await world.prepare();
  const browser = await sessions.prepare();
  await keys.prepare(browser);
  await limits.prepare(browser);
  const set = (aheadMs: number) => {
    setClock(clockFile, aheadMs);
    caller.setAhead(aheadMs);
  };
  return { caller, world, keys, limits, sessions, set };
}

/** Sets the clock. For a jump to a new day, checks what depends on the date just before midnight, and waits for it. */
async function make({ what, aheadMs, turn }: Jump, { caller, world, set }: Scene): Promise<void> {
  if (turn === undefined) return set(aheadMs());
  for (let leadMs = TURN_LEAD_MS, createdAt = turn; createdAt >= turn; leadMs *= 2) {
    set(aheadMs() - leadMs);
    await world.checkYears(what);
    createdAt = await world.checkDays(what);
  }
  await sleep(Math.max(0, Date.parse(turn) - caller.nowMs) + 1);
}

async function checkAll(what: string, { world, keys, limits, sessions }: Scene): Promise<void> {
  await sessions.check(what);
  await world.checkRetries(what);
  await world.createOnce();
  await world.checkCreated(what);
  await world.checkChange(what);
  await world.checkCursor(what);
  await keys.check(what);
  await limits.check(what);
  await world.checkDays(what);
  await world.checkYears(what);
  await sessions.signIn(what);
  await sleep(HOUSEKEEPING_MS);
  await world.checkEvents(what);
  await world.checkRetries(what);
}

function report(jumps: readonly Jump[], restarts: number, { caller, world, keys, limits, sessions }: Scene): Outcome {
  const { ids, retries, pages, events } = world.counts;
  const { good, refused } = keys.counts;
  const turns = jumps.flatMap(({ turn }) => turn ?? []);
  const [behind, ahead] = [caller.leastAheadMs, caller.mostAheadMs].map((aheadMs) => by(aheadMs).what);
  return {
    tried: `the clock set ${jumps.length} × while the service ran, from ${behind} to ${ahead}, ${turns.length} × to just before midnight (${turns.join(', ')}), and ${restarts} × while it was stopped`,
    figure: `${ids} ids in order, ${retries} retries replayed, ${events} events preserved, 0 wrong keys, sessions, or limits`,
    figures: [
      ['listings created, with ascending ids', String(ids)],
      ['retries with an earlier Idempotency-Key, all replayed', String(retries)],
      ['pages read with an earlier cursor', String(pages)],
      ['events, none removed', String(events)],
      ['responses to a key that expires', `${good} before its expiry, ${refused} × 401 after it`],
      ['earlier sessions', `${sessions.counts.good} valid until they expired, ${sessions.counts.over} expired`],
      ['sign-ins with an authenticator on the same clock', String(sessions.counts.signIns)],
      ['requests in a row, each counted', String(limits.counts.counted)],
      [
        'responses to a key with no requests left',
        `${limits.counts.refused} × 429 within the hour; ${limits.counts.usedUp} hours, each with its full number of requests`,
      ],
    ],
  };
}
