import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createPostgresDatabase } from '../../../../testkit/src/database.ts';
import { assertKept } from '../../../../testkit/src/ledger.ts';
import { createPostgresServer } from '../../../../testkit/src/postgres.ts';
import { findNobody } from '../../../../testkit/src/postgres-programs.ts';
import { mountSmallDisk } from '../../../../testkit/src/small-disk.ts';
import type { Trial } from '../../part.ts';
import { createTenant, serve } from '../../service.ts';
import { fillUnderLoad } from './filling.ts';

const MEGABYTES = 64;
const SIZE = { cycles: 4, refused: 60, acknowledged: 300 };

/** As `fillDisk`, with PostgreSQL's tables on the small disk and its log elsewhere. */
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

  const load = await fillUnderLoad({ trial, disk, service, tenant }, SIZE, () => disk.makeRoom());
  await assertKept(service.url, tenant, database, load.ledger);
  await service.end();
  return { cycles: SIZE.cycles, refused: load.told('storage_full'), acknowledged: load.told('acknowledged') };
}
