import assert from 'node:assert/strict';
import { createDatabase, type TestDatabase } from '../../../../testkit/src/database.ts';
import { assertKept, assertSound } from '../../../../testkit/src/ledger.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import type { Tenant } from '../../../../testkit/src/service.ts';
import { mountSmallDisk, type SmallDisk } from '../../../../testkit/src/small-disk.ts';
import type { Trial } from '../../part.ts';
import { serve } from '../../service.ts';
import { assertRead, expectSoon, fillUnderLoad, READS } from './filling.ts';
import { Probes } from './probes.ts';
import { ADMINISTRATOR, makeTenant, startOrWords } from './tenant.ts';

/**
 * More than the load and the probes write before the disk is filled again: a rejection in between
 * is a broken promise. The log takes at most half of the rest.
 */
const ROOM_BYTES_MIN = 10_000_000;
const SIZES = {
  full: { megabytes: 160, cycles: 12, refused: 60, acknowledged: 200 },
  small: { megabytes: 40, cycles: 2, refused: 20, acknowledged: 60 },
};
const LOG_LEVEL_ERROR = 50;
/** Bytes left free at a start: none, or too few for the log's index or a few pages. */
const ROOM_AT_START = { full: [0, 16_384, 40_960, 65_536], small: [0] };

/** Fills the disk repeatedly under load, tries each kind of request, and restarts there. */
export async function fillDisk(trial: Trial) {
  const disk = await mountSmallDisk(trial, SIZES[trial.size].megabytes);
  const settings = { DATA_DIR: disk.directory, ...ADMINISTRATOR };
  const database = await createDatabase(disk.directory, 'sqlite');
  const service = await serve(trial, settings);
  const tenant = await makeTenant(service);

  const size = SIZES[trial.size];
  const load = await fillUnderLoad({ trial, disk, service, tenant }, size, () => makeEnoughRoom(disk));
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
  await assertSound(database, 'the file');
  await last.end();
  return {
    cycles: size.cycles,
    refused: load.told('storage_full'),
    unknown: load.told('outcome_unknown'),
    acknowledged: load.told('acknowledged'),
    kinds,
    starts,
  };
}

function makeEnoughRoom(disk: SmallDisk): void {
  const bytes = disk.makeRoom();
  if (bytes < ROOM_BYTES_MIN) throw new Error(`the disk is too small to be tried: ${bytes} bytes are free`);
}

function readList(service: ServeProcess, tenant: Tenant): Promise<string> {
  return assertRead(service, tenant, '/listings');
}

/** On a full disk, a start either serves reads or fails with the reason. */
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

/** Key use could not be recorded. */
function isOfCounts({ work, level }: Record<string, unknown>): boolean {
  return work === 'record key use' && level === LOG_LEVEL_ERROR;
}

async function assertCounted({ sql }: TestDatabase, { keyId, requests }: Probes): Promise<void> {
  await expectSoon('the requests of a full disk are counted', async () => {
    const [row] = await sql('select sum(requests) as sum from key_hours where key_id = ?', keyId);
    return Number(row?.sum) === requests;
  });
}
