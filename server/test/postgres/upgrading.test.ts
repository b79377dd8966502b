import { test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { Site, tryUpgrade } from '../support/upgrades.ts';
import { databaseFor } from './support.ts';

test('following the guide upgrades two machines on PostgreSQL and undoes the upgrade, and no acknowledged change is lost', async (t) => {
  const database = await databaseFor(t);
  const { pathname } = new URL(database.url);
  const restored = `${pathname.slice(1)}_restored`;
  // The test server has no `pg_dump`, so a copy of the database stands in for the dump.
  const programs = {
    async pg_dump() {
      await database.sql(`create database ${restored} template ${pathname.slice(1)}`);
      defer(t, () => database.sql(`drop database ${restored} with (force)`));
    },
    async psql() {},
    async pg_restore() {
      site.set('DATABASE_URL', Object.assign(new URL(database.url), { pathname: restored }).href);
    },
  };
  const site = await Site.create(t, { DATABASE_URL: database.url, RATE_LIMIT: 'off' }, 2, programs);
  await tryUpgrade(site, database, {
    forth: ['### If the release migrates the tables', '### If the release does not migrate the tables'],
    back: '### Going back on PostgreSQL',
  });
});
