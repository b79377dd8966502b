import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSharedService } from '../../../testkit/src/service.ts';
import { countLateFeeds } from '../../src/domain/feeds/feed-metrics.ts';
import { enableMetrics, readMetrics, toPage } from '../../src/lib/metrics.ts';

const service = await startSharedService();

test('feeds without a successful run within the expected time are counted as late', async () => {
  await enableMetrics();
  const tenant = await service.createTenant();
  const send = (method: string, name: string, type: string, body: string) =>
    service.fetch(tenant, `/v1/feeds/${name}`, { method, headers: { 'Content-Type': type }, body });
  const readLate = async () => {
    await countLateFeeds(service.database);
    const [, value] = /^property_listings_feeds_late (\d+)$/m.exec(await toPage([await readMetrics()])) ?? [];
    return Number(value);
  };
  const before = await readLate();
  for (const name of ['late', 'in-time', 'unexpected']) {
    const response = await send('PUT', name, 'text/csv', `externalId,address,beds,baths\n${name},12 Elm Street,3,2\n`);
    assert.equal(response.status, 200);
    await response.text();
  }
  for (const name of ['late', 'in-time']) {
    const response = await send('PATCH', name, 'application/json', '{"expectedEveryHours":24}');
    assert.equal(response.status, 200);
    await response.text();
  }
  assert.equal(await readLate(), before);
  const longAgo = "update feeds set last_success_at = 1 where name <> 'in-time' and account_id = ?";
  await service.sql(longAgo, tenant.accountId);
  assert.equal(await readLate(), before + 1);
});
