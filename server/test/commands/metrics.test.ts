import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type MetricsPage, readMetricsPage } from '../../../testkit/src/metrics.ts';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { REPOSITORY, runCommand, runCommandWarm } from '../../../testkit/src/process.ts';
import { serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { tenantFor, workersOf } from '../../../testkit/src/workers.ts';
import { startReceiver } from '../support/receiver.ts';

const REQUESTS = 'http_server_request_duration_seconds_count';

async function start(t: TestContext, given: Record<string, string> = {}) {
  const { directory, database, tenant } = await tenantFor(t);
  const address = `127.0.0.1:${await findFreePort()}`;
  const settings = { DATA_DIR: directory, DATABASE_URL: database.url, METRICS_ADDRESS: address, ...given };
  const service = await serveFor(t, settings);
  const headers = { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json' };
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(service.url + path, { ...init, headers: { ...headers, ...init.headers } });
    await response.text();
    return response.status;
  };
  const create = () => send('/v1/listings', { method: 'POST', body: '{"address":"12 Elm Street","beds":3,"baths":2}' });
  return { address, service, settings, send, create, tenant };
}

/** Requests are counted after their responses have been sent. */
function untilMetrics(address: string, isReached: (page: MetricsPage) => boolean): Promise<MetricsPage> {
  return until('the metrics show it', async () => {
    const page = await readMetricsPage(address);
    return isReached(page) && page;
  });
}

test('requests are counted by method, route, and status, and no client can add labels', async (t) => {
  const { address, send, create, service } = await start(t);
  await create();
  await send('/v1/listings/lst_1');
  await send('/v1/listings/lst_2');
  for (const path of ['/a', '/b/c', '/v1/nothing']) await send(path);
  await send('/v1/me', { headers: { Authorization: 'Bearer plk_wrong' } });
  const requests = (method: string, route: string, status: number) => ({
    http_request_method: method,
    http_route: route,
    http_response_status_code: String(status),
  });
  const page = await untilMetrics(address, ({ value }) => value(REQUESTS) === 7);
  assert.equal(page.value(REQUESTS, requests('POST', '/v1/listings', 201)), 1);
  assert.equal(page.value(REQUESTS, requests('GET', '/v1/listings/{id}', 404)), 2);
  assert.equal(page.value(REQUESTS, requests('GET', 'unknown', 404)), 3);
  assert.equal(page.value(REQUESTS, requests('GET', '/v1/me', 401)), 1);
  assert.equal(page.value('property_listings_request_errors_total', { code: 'not_found' }), 5);
  assert.equal(page.value('property_listings_keys_rejected_total', { reason: 'malformed' }), 1);
  assert.equal(page.value('http_server_active_requests'), 0);
  assert.doesNotMatch(page.text, /lst_|plk_|acc_|\/b\/c/);
  assert.equal((await fetch(`${service.url}/metrics`)).status, 404);
  assert.equal((await fetch(`http://${address}/`)).status, 404);
});

test('events, imported rows, and commits are counted, and the file and the last backup are measured', async (t) => {
  const { address, send, create, settings } = await start(t);
  await create();
  const body = 'externalId,address,beds,baths\na,12 Elm Street,3,2\nb,14 Elm Street,x,2\nc,16 Elm Street,3,2\n';
  const file = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body };
  await send('/v1/imports', file);
  await send('/v1/imports?dryRun=true', file);
  assert.equal(await send('/v1/imports?atomic=true', { ...file, body: body.replace(',x,', ',4,') }), 200);
  const page = await readMetricsPage(address);
  assert.equal(page.value('property_listings_events_total'), 4);
  const rows = (outcome: string) => page.value('property_listings_import_rows_total', { outcome });
  assert.deepEqual([rows('created'), rows('unchanged'), rows('failed')], [3, 2, 1]);
  assert.ok((page.value('property_listings_commit_duration_seconds_count') ?? 0) >= 3);
  assert.ok((page.value('property_listings_write_wait_seconds_count') ?? 0) >= 3);
  assert.ok((page.value('property_listings_database_size_bytes') ?? 0) > 0);
  assert.ok((page.value('property_listings_disk_free_bytes') ?? 0) > 0);
  assert.equal(page.value('property_listings_build_info', { engine: 'sqlite' }), 1);

  assert.equal(page.value('property_listings_last_backup_timestamp_seconds'), undefined);
  const before = Date.now() / 1_000;
  assert.equal((await runCommandWarm(['backup', join(settings.DATA_DIR, 'backup.db')], settings)).code, 0);
  const after = await readMetricsPage(address);
  const madeAt = after.value('property_listings_last_backup_timestamp_seconds') ?? 0;
  assert.ok(madeAt > before - 1 && madeAt < before + 60, `${madeAt}`);
});

test('attempts to deliver webhooks are counted, and failing endpoints are shown', async (t) => {
  const receiver = await startReceiver(t);
  receiver.respond = (_, response) => void response.writeHead(500).end();
  const { address, send, create } = await start(t, { WEBHOOK_ALLOW: '127.0.0.0/8' });
  assert.equal(await send('/v1/webhooks', { method: 'POST', body: JSON.stringify({ url: receiver.url }) }), 201);
  for (let count = 0; count < 3; count += 1) await create();
  const failed = { outcome: 'failed' };
  const page = await untilMetrics(
    address,
    ({ value }) => (value('property_listings_webhook_attempts_total', failed) ?? 0) >= 3,
  );
  assert.equal(page.value('property_listings_webhook_endpoints_failing'), 1);
});

test('workers have one page, whose counts survive killed and replaced workers', async (t) => {
  const { address, create, service } = await start(t, { WORKERS: '2' });
  for (let count = 0; count < 20; count += 1) await create();
  const page = await untilMetrics(address, ({ value }) => value(REQUESTS) === 20);
  assert.equal(page.value('property_listings_events_total'), 20);
  assert.equal(page.value('property_listings_workers'), 2);

  const [killed = 0] = await workersOf(service);
  process.kill(killed, 'SIGKILL');
  const restarted = await untilMetrics(
    address,
    ({ value }) => value('property_listings_worker_restarts_total') === 1 && value('property_listings_workers') === 2,
  );
  assert.equal(restarted.value(REQUESTS), 20);
  assert.equal(restarted.value('property_listings_events_total'), 20);

  await create();
  service.child.kill('SIGHUP');
  await until('the workers are replaced', () => service.log.some(({ msg }) => msg === 'reloaded'));
  await create();
  const reloaded = await untilMetrics(address, ({ value }) => value(REQUESTS) === 22);
  assert.equal(reloaded.value('property_listings_events_total'), 22);
  assert.equal(reloaded.value('property_listings_worker_restarts_total'), 1);
});

test('simultaneous scrapes of workers share their report', async (t) => {
  const { address } = await start(t, { WORKERS: '2' });
  let answered = 0;
  const scrapes = Array.from({ length: 8 }, () => readMetricsPage(address).then(() => (answered += 1)));
  await Promise.any(scrapes);
  for (let count = 0; count < 5; count += 1) await readMetricsPage(address);
  assert.equal(answered, scrapes.length);
});

test('the dashboard and the alert rules use only metrics that exist', async (t) => {
  const { address } = await start(t);
  const { names } = await readMetricsPage(address);
  const known = new Set(names.flatMap((name) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]));
  const prefix = /\b(?:property_listings|http_server|db_client_connection|nodejs|process)_\w+/g;
  /** Labels with the prefix of a metric. */
  const labels = ['http_request_method', 'http_route', 'http_response_status_code', 'db_client_connection_state'];
  for (const file of ['alerts.yml', 'dashboard.json']) {
    const used = (await readFile(join(REPOSITORY, 'docs/observability', file), 'utf8')).match(prefix) ?? [];
    assert.ok(used.length > 10);
    assert.deepEqual(
      [...new Set(used)].filter((name) => !known.has(name) && !labels.includes(name)),
      [],
      file,
    );
  }
});

test('HEAD and a query are accepted; an address that cannot be used stops the start with an error that names its setting', async (t) => {
  const { settings, service } = await start(t);
  const { port } = new URL(service.url);
  for (const WORKERS of ['1', '2']) {
    const free = `127.0.0.1:${await findFreePort()}`;
    const used = await runCommand(['serve'], { ...settings, PORT: port, METRICS_ADDRESS: free, WORKERS });
    assert.equal(used.code, 1);
    assert.match(used.stderr, /^error: Cannot listen on .*, PORT \d+: address already in use\.\n$/);
  }
  const { code, stderr } = await runCommandWarm(['serve'], { ...settings, PORT: '0' });
  assert.equal(code, 1);
  assert.match(stderr, /^error: Cannot listen on METRICS_ADDRESS 127\.0\.0\.1, port \d+: address already in use\.\n$/);
  const address = settings.METRICS_ADDRESS;
  const head = await fetch(`http://${address}/metrics?x=1`, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  assert.equal((await fetch(`http://${address}/metrics?x=1`)).status, 200);
  for (const [path, method] of [
    ['/metrics', 'POST'],
    ['/metricsx', 'GET'],
    ['/metrics/?x', 'GET'],
  ] as const)
    assert.equal((await fetch(`http://${address}${path}`, { method })).status, 404);
  for (const wrong of ['9464', 'localhost:9464', '127.0.0.1', '127.0.0.1:99999']) {
    const invalid = await runCommandWarm(['serve'], { ...settings, METRICS_ADDRESS: wrong });
    assert.match(invalid.stderr, /^error: METRICS_ADDRESS must be an IP address and a port, such as 127\.0\.0\.1:9464/);
  }
});
