import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMetricsPage } from '../../../testkit/src/metrics.ts';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { serveFor } from '../../../testkit/src/serving.ts';
import { tenantFor } from '../../../testkit/src/workers.ts';

test('the metrics show commits and the connections to the server', async (t) => {
  const { directory, database, tenant } = await tenantFor(t);
  const address = `127.0.0.1:${await findFreePort()}`;
  const settings = { DATA_DIR: directory, DATABASE_URL: database.url, METRICS_ADDRESS: address };
  const service = await serveFor(t, { ...settings, DATABASE_POOL_SIZE: '6' });
  const headers = { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json' };
  const body = '{"address":"12 Elm Street","beds":3,"baths":2}';
  assert.equal((await fetch(`${service.url}/v1/listings`, { method: 'POST', headers, body })).status, 201);
  const { value, names } = await readMetricsPage(address);
  assert.equal(value('property_listings_events_total'), 1);
  assert.ok((value('property_listings_commit_duration_seconds_count') ?? 0) > 0);
  assert.equal(value('db_client_connection_max'), 6);
  const open = value('db_client_connections_usage') ?? 0;
  assert.ok(open >= 1 && open <= 6, `${open}`);
  assert.equal(value('db_client_connection_pending_requests'), 0);
  assert.equal(value('property_listings_build_info', { engine: 'postgres' }), 1);
  assert.equal(value('property_listings_wal_size_bytes'), undefined);
  // `promtool check metrics` reserves these endings for histograms, whose series are not in `names`.
  assert.deepEqual(
    names.filter((name) => /_(?:count|sum|bucket)$/.test(name)),
    [],
  );
});
