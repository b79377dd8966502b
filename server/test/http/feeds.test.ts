import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAll } from '../../../testkit/src/imports.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { countsOf, get, runFeed, stopFeed } from '../support/feeds.ts';

const service = await startSharedService();

const row = (externalId: string, members: object = {}) => ({
  externalId,
  address: `${externalId} Elm Street`,
  beds: 3,
  baths: 2,
  ...members,
});
const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => row(`A-${String(from + index).padStart(4, '0')}`));

test('the first file creates the listings of the feed, and the same file changes nothing', async () => {
  const tenant = await service.createTenant();
  const first = await runFeed(service, tenant, 'mls', rows(120));
  assert.deepEqual([first.outcome, countsOf(first)], ['succeeded', { rows: 120, created: 120 }]);
  assert.deepEqual([first.sequenceFrom, first.sequenceTo], [0, 120]);
  const { data } = await listAll(service, tenant);
  assert.ok(data.every(({ feed }) => feed === 'mls'));
  const second = await runFeed(service, tenant, 'mls', rows(120));
  assert.deepEqual([second.outcome, countsOf(second)], ['succeeded', { rows: 120, unchanged: 120 }]);
  assert.deepEqual((await listAll(service, tenant)).data, data);
  console.log(await get(service, tenant, '/feeds'));
  const run = await runFeed(service, tenant, 'mls', [
    row('A-0000', { beds: 5 }),
    ...rows(117, 1),
    row('B', { beds: -1 }),
  ]);
  console.log(run);
  console.log(await stopFeed(service, tenant, 'mls', rows(20)));
  console.log(
    JSON.stringify(await runFeed(service, tenant, 'mls', rows(20), { query: '?dryRun=true&missing=delete' })).slice(
      0,
      3000,
    ),
  );
  console.log(await runFeed(service, tenant, 'mls', rows(116), { query: '?missing=delete' }));
  console.log(await get(service, tenant, `/feeds/mls/runs?limit=2`));
  console.log(await get(service, tenant, `/feeds/mls/runs/${run.id}/errors`));
});
