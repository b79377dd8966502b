import { test } from 'node:test';
import { createDatabase } from '../../../testkit/src/database.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';
import { Site, tryUpgrade } from '../support/upgrades.ts';

test('following the guide upgrades the last release on SQLite and undoes the upgrade, and no acknowledged change is lost', async (t) => {
  const directory = await directoryFor(t);
  const site = await Site.create(t, { DATA_DIR: directory, RATE_LIMIT: 'off' });
  const database = await createDatabase(directory, 'sqlite');
  await tryUpgrade(site, database, { forth: ['## On SQLite'], back: '### Going back on SQLite' });
});
