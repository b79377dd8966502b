import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../../../../server/test/support/database.ts';
import { assertKept } from '../../../../server/test/support/ledger.ts';
import { type MixedLoad, startMixedLoad } from '../../../../server/test/support/mixed-load.ts';
import { createTenantByCommand, type ServeProcess } from '../../../../server/test/support/process.ts';
import { until } from '../../../../server/test/support/until.ts';
import type { Trial } from '../../part.ts';
import type { Random } from '../../random.ts';
import { serve, settingsOf } from '../../service.ts';

export interface Crashes {
  trial: Trial;
  random: Random;
  name: string;
  count: number;
  settings?: Record<string, string>;
  /** Ends the service, or a part of it. @returns whether it has to be started again */
  end(service: ServeProcess, random: Random): Promise<boolean>;
  /** What happens before it is started again. */
  between?(): void;
}

/** Sums over all crashes. */
export interface Crashed {
  crashes: number;
  acknowledged: number;
  lost: number;
  replayed: number;
  unknown: number;
  unknownKept: number;
}

const LANES = 8;
/** A crash comes at any moment of it. */
const MOMENT_MAX_MS = 300;
const SAY_EVERY = 25;

/** Loads the service, ends it at a random moment, starts it again, compares; and again. */
export async function crashAgainAndAgain(crashes: Crashes): Promise<Crashed> {
  const { trial, random, name, count, end, between } = crashes;
  const settings = { DATA_DIR: join(trial.directory, name.replaceAll(' ', '-')), ...crashes.settings };
  const tenant = await createTenantByCommand(settingsOf(trial, settings));
  between?.();
  let service = await restart(trial, settings);
  const database = await createDatabase(settings.DATA_DIR, 'sqlite');
  const urls = [service.url];
  const load = startMixedLoad(urls, tenant.key, LANES);
  const compare = async () => {
    await load.pause();
    await assertKept(service.url, tenant, database, load.ledger);
    const [found] = await database.sql('pragma integrity_check');
    assert.equal(found?.integrity_check, 'ok', 'the database is damaged');
  };
  for (let crash = 1; crash <= count; crash += 1) {
    await workFor(load, random.upTo(MOMENT_MAX_MS));
    if (load.isBroken()) await load.ended;
    const isGone = await end(service, random);
    if (isGone) {
      between?.();
      service = await restart(trial, settings);
      urls[0] = service.url;
    }
    await compare();
    load.resume();
    if (crash % SAY_EVERY === 0) trial.say(`${name}: ${crash} crashes`);
  }
  await finish(load, compare);
  const code = await service.end();
  assert.equal(code, 0, 'the service did not end well');
  return sumUp(load, count);
}

/** From when the load is on, however slow the machine. */
async function workFor({ turns, isBroken }: MixedLoad, durationMs: number): Promise<void> {
  const sum = () => turns.reduce((total, each) => total + each, 0);
  const before = sum();
  await until('the load is on', () => sum() >= before + LANES || isBroken());
  await sleep(durationMs);
}

/** @throws AssertionError if it does not start */
async function restart(trial: Trial, settings: Record<string, string>): Promise<ServeProcess> {
  try {
    return await serve(trial, settings);
  } catch (error) {
    assert.fail(`the service does not start again: ${error}`);
  }
}

/** The last comparison looks at all events, from the first one. */
async function finish(load: MixedLoad, compare: () => Promise<void>): Promise<void> {
  await load.pause();
  load.ledger.replayed = { sequence: 0, listings: new Map() };
  await compare();
  load.finish();
  await load.ended;
}

function sumUp({ ledger: { counts, unknown, replayed } }: MixedLoad, crashes: number): Crashed {
  const told = (what: string) => counts.get(what) ?? 0;
  const stored = new Set([...replayed.listings.values()].map(({ address }) => address));
  return {
    crashes,
    acknowledged: told('acknowledged'),
    lost: told('lost'),
    replayed: told('replayed'),
    unknown: unknown.length,
    unknownKept: unknown.filter(([first]) => stored.has(first?.address)).length,
  };
}
