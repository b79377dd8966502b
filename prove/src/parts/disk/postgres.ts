import assert from 'node:assert/strict';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createPostgresDatabase } from '../../../../testkit/src/database.ts';
import { assertKept } from '../../../../testkit/src/ledger.ts';
import { startMixedLoad } from '../../../../testkit/src/mixed-load.ts';
import { createPostgresServer } from '../../../../testkit/src/postgres.ts';
import { findNobody } from '../../../../testkit/src/postgres-programs.ts';
import { mountSmallDisk } from '../../../../testkit/src/small-disk.ts';
import type { Trial } from '../../part.ts';
import { createTenant, serve } from '../../service.ts';
import { expectSoon } from './expect.ts';

const MEGABYTES = 64;
const CYCLES = 4;
const LANES = 8;
const REFUSED = 60;
const ACKNOWLEDGED = 300;

/** As `fillDisk`, with the tables of a PostgreSQL server on the small disk: they are full, its log is not. */
export async function fillTablespace(trial: Trial) {
  const disk = await mountSmallDisk(trial, MEGABYTES);
  const place = join(disk.directory, 'tables');
  await mkdir(place, { mode: 0o700 });
  const owner = await findNobody();
  if (owner !== undefined) await chown(place, owner.uid, owner.gid);
  const server = await createPostgresServer();
  trial.after(() => server.stop());
  const { sql } = await createPostgresDatabase(server.url);
  await sql(`create tablespace small location '${place}'`);
  await sql("alter system set default_tablespace = 'small'");
  await sql('select pg_reload_conf()');
  const database = await createPostgresDatabase(server.url);
  const settings = { DATABASE_URL: database.url };
  const tenant = await createTenant(trial, settings);
  const service = await serve(trial, settings);

  const load = startMixedLoad([service.url], tenant.key, LANES);
  const told = (what: string) => load.ledger.counts.get(what) ?? 0;
  const grow = async (what: string, code: string, count: number) => {
    const before = told(code);
    await expectSoon(what, () => load.isBroken() || told(code) >= before + count);
    if (load.isBroken()) await load.ended;
  };
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    await grow('writes are acknowledged where there is room', 'acknowledged', ACKNOWLEDGED);
    disk.fill();
    await grow('writes are refused', 'storage_full', REFUSED);
    assert.equal(
      told('unavailable'),
      0,
      'PostgreSQL on a full disk refuses writes as if they could be sent again at once',
    );
    const { status } = await fetch(`${service.url}/v1/listings`, {
      headers: { Authorization: `Bearer ${tenant.key}` },
    });
    assert.equal(status, 200, 'PostgreSQL on a full disk cannot be read');
    disk.makeRoom();
    await grow('writes go on by themselves where there is room again', 'acknowledged', ACKNOWLEDGED);
    trial.say(`PostgreSQL, full disk ${cycle + 1} of ${CYCLES}`);
  }
  await load.pause();
  load.finish();
  await load.ended;
  await assertKept(service.url, tenant, database, load.ledger);
  await service.end();
  return {
    cycles: CYCLES,
    refused: told('storage_full'),
    acknowledged: told('acknowledged'),
  };
}
