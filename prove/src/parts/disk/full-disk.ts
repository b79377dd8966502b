import assert from 'node:assert/strict';
import { createDatabase, type TestDatabase } from '../../../../testkit/src/database.ts';
import { assertKept } from '../../../../testkit/src/ledger.ts';
import { type MixedLoad, startMixedLoad } from '../../../../testkit/src/mixed-load.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import type { Tenant } from '../../../../testkit/src/service.ts';
import { hasEnded } from '../../../../testkit/src/serving.ts';
import { mountSmallDisk, type SmallDisk } from '../../../../testkit/src/small-disk.ts';
import type { Trial } from '../../part.ts';
import { serve } from '../../service.ts';
import { expectSoon, startOrWords } from './expect.ts';
import { Probes } from './probes.ts';
import { ADMINISTRATOR, makeTenant } from './tenant.ts';

/**
 * What is free of the disk without its ballast is more than what the load and the probes write before it is filled again: a
 * write that finds no room then is a broken promise. The service sees to it that its log takes no more than half of the rest.
 */
const ROOM_BYTES_MIN = 10_000_000;
const SIZES = {
  full: { megabytes: 160, cycles: 12, refused: 60, acknowledged: 200 },
  small: { megabytes: 40, cycles: 2, refused: 20, acknowledged: 60 },
};
const LANES = 8;
/** pino's. */
const LOG_LEVEL_ERROR = 50;
const READS = ['/listings', '/listings?limit=20', '/listings?q=lane&sort=-listPrice', '/events', '/me'];
/** What is left free at a start: too little for the index of the log, for a page or for a few. */
const ROOM_AT_START = { full: [0, 16_384, 40_960, 65_536], small: [0] };

/** A tenant, where the service is, and what it said of its writes. */
interface Scene {
  trial: Trial;
  disk: SmallDisk;
  service: ServeProcess;
  tenant: Tenant;
  load: MixedLoad;
  told: (what: string) => number;
}

/** Fills the disk of a service again and again while it is used, looks at each kind of request, and starts it there. */
export async function fillDisk(trial: Trial) {
  const { megabytes } = SIZES[trial.size];
  const disk = await mountSmallDisk(trial, megabytes);
  const settings = { DATA_DIR: disk.directory, ...ADMINISTRATOR };
  const database = await createDatabase(disk.directory, 'sqlite');
  const service = await serve(trial, settings);
  const tenant = await makeTenant(service);

  const load = startMixedLoad([service.url], tenant.key, LANES);
  const told = (what: string) => load.ledger.counts.get(what) ?? 0;
  await fillUnderLoad({ trial, disk, service, tenant, load, told });
  await assertKept(service.url, tenant, database, load.ledger);

  const probes = new Probes(service, tenant.accountId);
  await probes.prepare();
  disk.fill();
  const kinds = await probes.tryAll(trial, settings);
  const { length } = service.log;
  await expectSoon('the use of keys cannot be written', () => service.log.slice(length).some(isOfCounts));
  makeEnoughRoom(disk);
  await probes.goOn();
  await assertCounted(database, probes);
  const before = await readList(service, tenant);
  assert.equal(await service.end(), 0, 'the service did not stop as it should');

  const starts = await startFull(trial, disk, settings, tenant);
  const last = await serve(trial, settings);
  assert.equal(await readList(last, tenant), before, 'after starts on a full disk the listings are others');
  await assertSound(database);
  await last.end();
  return {
    cycles: SIZES[trial.size].cycles,
    refused: told('storage_full'),
    unknown: told('outcome_unknown'),
    acknowledged: told('acknowledged'),
    kinds,
    starts,
  };
}

async function fillUnderLoad(scene: Scene): Promise<void> {
  const { trial, disk, service, tenant, load, told } = scene;
  const { cycles, refused, acknowledged } = SIZES[trial.size];
  const grow = async (what: string, sum: () => number, count: number) => {
    const before = sum();
    await expectSoon(what, () => load.isBroken() || hasEnded(service.child) || sum() >= before + count);
    if (load.isBroken()) await load.ended;
    assert.ok(!hasEnded(service.child), 'the service has ended');
  };
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    await grow('writes are acknowledged where there is room', () => told('acknowledged'), acknowledged);
    disk.fill();
    await grow('writes are refused', () => told('storage_full') + told('unavailable'), refused);
    assert.equal(told('unavailable'), 0, 'writes on a full disk are refused as if they could be sent again at once');
    for (const path of READS) await assertRead(service, tenant, path);
    makeEnoughRoom(disk);
    await grow('writes go on by themselves where there is room again', () => told('acknowledged'), acknowledged);
    trial.say(`full disk ${cycle + 1} of ${cycles}`);
  }
  await load.pause();
  load.finish();
  await load.ended;
}

function makeEnoughRoom(disk: SmallDisk): void {
  const bytes = disk.makeRoom();
  if (bytes < ROOM_BYTES_MIN) throw new Error(`the disk is too small to be tried: ${bytes} bytes are free`);
}

async function assertRead({ url }: ServeProcess, { key }: Tenant, path: string): Promise<string> {
  const response = await fetch(`${url}/v1${path}`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await response.text();
  assert.equal(response.status, 200, `${path} on a full disk: ${text}`);
  return text;
}

function readList(service: ServeProcess, tenant: Tenant): Promise<string> {
  return assertRead(service, tenant, '/listings');
}

/** A start on a full disk either serves what can be read, or is refused with the reason. */
async function startFull(trial: Trial, disk: SmallDisk, settings: Record<string, string>, tenant: Tenant) {
  const starts = { refused: 0, served: 0 };
  for (const room of ROOM_AT_START[trial.size]) {
    disk.fill(room);
    const started = await startOrWords(trial, settings);
    if (typeof started === 'string') {
      assert.match(started, /the disk is full/, 'a start on a full disk is refused without saying why');
      starts.refused += 1;
    } else {
      for (const path of READS) await assertRead(started, tenant, path);
      starts.served += 1;
      await started.end();
    }
    disk.makeRoom();
  }
  return starts;
}

/** Whether a line of the log tells that how often keys were used was not written. */
function isOfCounts({ work, level }: Record<string, unknown>): boolean {
  return work === 'record key use' && level === LOG_LEVEL_ERROR;
}

/** Requests are counted in memory while the counts cannot be written. */
async function assertCounted({ sql }: TestDatabase, { keyId, requests }: Probes): Promise<void> {
  await expectSoon('the requests of a full disk are counted', async () => {
    const [row] = await sql('select sum(requests) as sum from key_hours where key_id = ?', keyId);
    return Number(row?.sum) === requests;
  });
}

async function assertSound({ sql }: TestDatabase): Promise<void> {
  const [row] = await sql('pragma integrity_check');
  assert.equal(row?.integrity_check, 'ok', 'the file is damaged');
}
