import assert from 'node:assert/strict';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createDatabase, createPostgresDatabase } from '../../../../testkit/src/database.ts';
import { assertKept, assertSound } from '../../../../testkit/src/ledger.ts';
import { findNobody } from '../../../../testkit/src/postgres-programs.ts';
import type { Tenant } from '../../../../testkit/src/service.ts';
import { mountSmallDisk, type SmallDisk } from '../../../../testkit/src/small-disk.ts';
import type { Trial } from '../../part.ts';
import { ADMINISTRATOR, createTenant, postgresFor, serve } from '../../service.ts';
import { assertRead, expectSoon, fillUnderLoad, makeTenant, READS, startOrWords } from './filling.ts';
import { Probes } from './probes.ts';

/** More than the load and the probes need in between. SQLite's log takes at most half of the free space. */
const ROOM_BYTES_MIN = 10_000_000;
const SIZES = {
  full: { megabytes: 160, cycles: 12, refused: 60, acknowledged: 200 },
  small: { megabytes: 40, cycles: 2, refused: 20, acknowledged: 60 },
};
const LOG_LEVEL_ERROR = 50;
/** The free bytes: none, too few for the index of the log (32 KiB), or enough for it and a few pages. */
const ROOM_AT_START = { full: [0, 16_384, 40_960, 65_536], small: [0] };

/** Fills the disk repeatedly under load, tries each kind of request, and restarts the service. */
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
  // The service logs only the first of several failures in a row, and then the next success.
  const countLog = () => service.log.filter(({ work }) => work === 'record key use');
  const isFailing = (entry?: Record<string, unknown>) => entry?.level === LOG_LEVEL_ERROR;
  await expectSoon('key use is written again', () => !isFailing(countLog().at(-1)));
  const logged = countLog().length;
  disk.fill();
  const kinds = await probes.tryAll(trial, settings);
  await expectSoon('key use cannot be written', async () => {
    await probes.send('GET', '/listings?limit=1');
    return countLog().slice(logged).some(isFailing);
  });
  makeEnoughRoom(disk);
  await probes.goOn();
  await expectSoon('requests during a full disk are counted', async () => {
    const [row] = await database.sql('select sum(requests) as sum from key_hours where key_id = ?', probes.keyId);
    return Number(row?.sum) === probes.requests;
  });
  const before = await assertRead(service, tenant, '/listings');
  assert.equal(await service.end(), 0, 'the service did not exit with 0');

  const starts = await startFull(trial, disk, settings, tenant);
  const last = await serve(trial, settings);
  const after = await assertRead(last, tenant, '/listings');
  assert.equal(after, before, 'starts on a full disk changed the listings');
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
  if (bytes < ROOM_BYTES_MIN) throw new Error(`the disk is too small for the trial: ${bytes} bytes are free`);
}

/** Checks that on a full disk, the service either starts and serves reads, or says why it does not start. */
async function startFull(trial: Trial, disk: SmallDisk, settings: Record<string, string>, tenant: Tenant) {
  const starts = { refused: 0, served: 0 };
  for (const room of ROOM_AT_START[trial.size]) {
    disk.fill(room);
    const started = await startOrWords(trial, settings);
    if (typeof started === 'string') {
      assert.match(started, /the disk is full/, 'a start on a full disk fails, but does not say why');
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

const MEGABYTES = 64;
const SIZE = { cycles: 4, refused: 60, acknowledged: 300 };

/** Fills the disk that contains PostgreSQL's tables repeatedly under load. The WAL is on another disk. */
export async function fillTablespace(trial: Trial) {
  const disk = await mountSmallDisk(trial, MEGABYTES);
  const place = join(disk.directory, 'tables');
  await mkdir(place, { mode: 0o700 });
  const owner = await findNobody();
  if (owner !== undefined) await chown(place, owner.uid, owner.gid);
  const server = await postgresFor(trial);
  const { sql } = await createPostgresDatabase(server.url);
  await sql(`create tablespace small location '${place}'`);
  await sql("alter system set default_tablespace = 'small'");
  await sql('select pg_reload_conf()');
  const database = await createPostgresDatabase(server.url);
  const settings = { DATABASE_URL: database.url };
  const tenant = await createTenant(trial, settings);
  const service = await serve(trial, settings);

  const load = await fillUnderLoad({ trial, disk, service, tenant }, SIZE, () => disk.makeRoom());
  await assertKept(service.url, tenant, database, load.ledger);
  await service.end();
  return { cycles: SIZE.cycles, refused: load.told('storage_full'), acknowledged: load.told('acknowledged') };
}
