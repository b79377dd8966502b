import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from '../../../server/test/support/browser.ts';
import { generator } from '../../../server/test/support/random-json.ts';
import { serveFor } from '../../../server/test/support/serving.ts';
import type { Fault, Outcome, Part, Patch, Trial } from '../part.ts';
import { createTenant, settingsOf } from '../service.ts';
import { setClock, shiftedEnvironment } from './clock/shift.ts';
import { ADMINISTRATOR, DAY_MS, POINTS, World } from './clock/world.ts';

const faults: readonly Fault[] = [
  {
    name: 'ids-by-clock',
    what: 'An id begins with the time, also when that is before the last one',
    patches: [{ file: 'server/src/lib/ids.ts', from: 'if (nowMs > lastTimeMs) {', to: 'if (nowMs !== lastTimeMs) {' }],
  },
  {
    name: 'cursor-by-day',
    what: 'A cursor is good for a day',
    patches: [
      {
        file: 'server/src/http/cursor.ts',
        from: 'this.#sign(position, scope) +',
        to: 'this.#sign(position, scope + new Date().toDateString()) +',
      },
    ],
  },
  {
    name: 'expiry-remembered',
    what: 'Whether a key is over is told by when the process began',
    patches: [
      {
        file: 'server/src/domain/api-keys.ts',
        from: 'holder.expiresAt <= Date.now()',
        to: 'holder.expiresAt <= performance.timeOrigin',
      },
    ],
  },
  {
    name: 'retry-forgotten',
    what: 'A request is done again when the clock was set to another day before it is sent again',
    patches: [{ file: 'server/src/domain/writing.ts', from: ' || hasClockJumped()', to: '' }],
  },
  {
    name: 'purged',
    what: 'What looks old while the clock is ahead is removed',
    patches: [{ file: 'server/src/worker/housekeeping.ts', from: 'hasClockJumped() ? undefined : ', to: '' }],
  },
  {
    name: 'long-wait',
    what: 'A client is told to wait until the clock gets to where it was',
    patches: [
      {
        file: 'server/src/lib/limiter.ts',
        from: 'return Math.min(msBeforeNext, duration * 1000);',
        to: 'return msBeforeNext;',
      },
    ],
  },
  {
    name: 'locked-out',
    what: 'Who has given a code while the clock was ahead is locked out until it gets there',
    patches: [
      { file: 'server/src/storage/two-factors.ts', from: "where('last_step', '>', parameter('latest')),", to: '' },
    ],
  },
  {
    name: 'updated-before-created',
    what: 'A listing is updated before it was created when the clock was set back',
    patches: [{ file: 'server/src/domain/save-listing.ts', from: 'now < createdAt ? createdAt : now', to: 'now' }],
  },
];

/** The clock of the machine is set while the service runs, and while it does not. */
export const clock: Part = {
  name: 'clock',
  title: 'Clock',
  promise:
    'Whatever the clock does, ids grow, cursors and retries hold, nothing is removed, and nobody waits for years.',
  faults,
  run,
};

/** Housekeeping is at once, not in minutes: what it does wrong is seen. */
const HASTE_MS = 200;
const HOUSEKEEPING = 'server/src/worker/housekeeping.ts';
const haste: readonly Patch[] = [
  'PURGE_INTERVAL_MS = 60_000',
  'EVENT_PURGE_INTERVAL_MS = 600_000',
  'SIGN_IN_PURGE_INTERVAL_MS = 3_600_000',
].map((from) => ({ file: HOUSEKEEPING, from: `const ${from};`, to: `const ${from.split(' ')[0]} = ${HASTE_MS};` }));
/** For housekeeping to come round. */
const HOUSEKEEPING_MS = 5 * HASTE_MS;
const RANDOM_JUMPS = 40;

interface Jump {
  what: string;
  aheadMs: number;
}

async function run(trial: Trial): Promise<Outcome> {
  const clockFile = join(trial.directory, 'clock');
  setClock(clockFile, 0);
  const tenant = await createTenant(trial);
  const start = (patches: readonly Patch[]) => {
    const fault = { name: '', what: '', patches: [...patches, ...(trial.fault?.patches ?? [])] };
    const settings = settingsOf({ ...trial, fault }, { RATE_LIMIT: `${POINTS[trial.size]}/1h`, ...ADMINISTRATOR });
    return serveFor(trial, { ...settings, ...shiftedEnvironment(clockFile, settings.NODE_OPTIONS) });
  };
  let service = await start(haste);
  const world = new World(service, tenant);
  const first = await world.prepare();
  const set = (aheadMs: number) => {
    setClock(clockFile, aheadMs);
    world.aheadMs = aheadMs;
  };

  const jumps = [...namedJumps(), ...(trial.size === 'full' ? furtherJumps(trial.seed) : [])];
  let firstSession: Browser | undefined = first;
  for (const { what, aheadMs } of jumps) {
    trial.say(what);
    set(aheadMs);
    firstSession = await checkFirst(what, world, firstSession);
    await checkAll(what, world);
  }
  assert.equal(await service.end(), 0);

  // A process does not know what its clock was before: it removes nothing at once, and so is not hurried here.
  const restarts = [-400 * DAY_MS, 0, 400 * DAY_MS, 0].slice(0, trial.size === 'full' ? 4 : 1);
  for (const aheadMs of restarts) {
    const what = `started ${inDays(aheadMs)}`;
    trial.say(what);
    set(aheadMs);
    service = await start([]);
    world.moveTo(service);
    await checkAll(what, world);
    assert.equal(await service.end(), 0);
  }
  return report(jumps.length, restarts.length, world);
}

/** The session from before is good for as long as it would have been. */
async function checkFirst(what: string, world: World, browser: Browser | undefined): Promise<Browser | undefined> {
  const user = await browser?.ask('GET', '/admin/session');
  const isGood = world.aheadMs < 7 * DAY_MS;
  if (browser !== undefined) assert.equal(Boolean(user), isGood, `${what}: a session is ${isGood ? 'over' : 'good'}`);
  // What was seen to be over stays so.
  return isGood ? browser : undefined;
}

async function checkAll(what: string, world: World): Promise<void> {
  await world.checkRetries(what);
  await world.createOnce();
  await world.checkCreated(what);
  await world.checkChange(what);
  await world.checkCursor(what);
  await world.checkKeys(what);
  await world.checkLimits(what);
  await world.checkDays(what);
  await world.checkYears(what);
  await world.signIn(what);
  await sleep(HOUSEKEEPING_MS);
  await world.checkEvents(what);
  await world.checkRetries(what);
}

const HOUR_MS = 3_600_000;

function namedJumps(): Jump[] {
  const until = (time: string) => ({ what: `set to ${time}`, aheadMs: Date.parse(time) - Date.now() });
  const ahead = (aheadMs: number) => ({ what: `set ${inDays(aheadMs)}`, aheadMs });
  return [ahead(-400 * DAY_MS), ahead(0), ahead(400 * DAY_MS), ahead(0), until('2028-02-29T12:00:00Z'), ahead(0)];
}

function furtherJumps(seed: number): Jump[] {
  const until = (time: string) => ({ what: `set to ${time}`, aheadMs: Date.parse(time) - Date.now() });
  const ahead = (aheadMs: number) => ({ what: `set ${inDays(aheadMs)}`, aheadMs });
  const random = generator(seed);
  return [
    until('2027-12-31T23:59:59.500Z'),
    until('2028-02-28T23:59:59.500Z'),
    until('2028-02-29T23:59:59.500Z'),
    until('2038-01-19T03:14:07Z'),
    until('2000-02-29T00:00:00Z'),
    ...[HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS, 29 * DAY_MS, 31 * DAY_MS].map(ahead),
    ...Array.from({ length: RANDOM_JUMPS }, () => ahead(Math.round((random() - 0.5) * 800 * DAY_MS))),
    ahead(0),
  ];
}

function inDays(aheadMs: number): string {
  if (aheadMs === 0) return 'right';
  return `${(Math.abs(aheadMs) / DAY_MS).toFixed(aheadMs % DAY_MS === 0 ? 0 : 2)} days ${aheadMs < 0 ? 'back' : 'ahead'}`;
}

function report(jumps: number, restarts: number, { counts }: World): Outcome {
  return {
    tried: `the clock set ${jumps} × while the service ran, by up to 400 days and to leap days and the turn of a year, and ${restarts} × while it did not`,
    figure: `${counts.ids} ids in order, ${counts.retries} retries recognised, ${counts.events} events kept`,
    figures: [
      ['listings created, each id after the one before it in its process', String(counts.ids)],
      ['retries with an Idempotency-Key of before, none done again', String(counts.retries)],
      ['pages by a cursor of before', String(counts.pages)],
      ['events, none removed', String(counts.events)],
      ['sign-ins with an app of the same clock', String(counts.signIns)],
    ],
  };
}
