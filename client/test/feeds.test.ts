import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { defer } from '../../testkit/src/cleanup.ts';
import { startTestService, type Tenant } from '../../testkit/src/service.ts';
import { directoryFor } from '../../testkit/src/serving.ts';
import { until } from '../../testkit/src/until.ts';
import { FeedBusyError, FeedGuardError, Feeds } from '../src/feeds.ts';
import { type ImportSource, NotFoundError, ValidationFailedError } from '../src/index.ts';
import { clientOf, sequenceOf } from './support/connect.ts';
import { proxyFor } from './support/proxy.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

function feedsOf({ key }: Tenant, { url }: { url: string } = service): Feeds {
  return new Feeds({ apiKey: key, baseUrl: `${url}/v1` });
}

const row = (externalId: string, members: object = {}) => ({
  externalId,
  address: `${externalId} Elm Street`,
  beds: 3,
  baths: 2,
  ...members,
});

/** Rows `A-0`, `A-1`, … */
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(`A-${index}`));

/** The error that a call rejects with. */
async function guardOf(call: PromiseLike<unknown>): Promise<FeedGuardError> {
  const error = await Promise.resolve(call).catch((error: unknown) => error);
  assert.ok(error instanceof FeedGuardError, String(error));
  return error;
}

describe('a feed', () => {
  test('accepts rows, text, files, and streams, and the same file again changes nothing', async (t) => {
    const tenant = await service.createTenant();
    const feeds = feedsOf(tenant);
    const path = join(await directoryFor(t), 'listings.csv');
    const csv = 'externalId,address,beds,baths\nA-0,A-0 Elm Street,3,2\nA-1,A-1 Elm Street,3,2\n';
    await writeFile(path, csv);
    const first = await feeds.put('mls', rows(2));
    assert.deepEqual([first.outcome, first.created, first.sequenceTo], ['succeeded', 2, 2]);
    const sources: [ImportSource, 'csv'?][] = [
      [rows(2).values()],
      [csv, 'csv'],
      [createReadStream(path), 'csv'],
      [new Blob([csv]).stream(), 'csv'],
      [new File([gzipSync(csv)], 'listings.csv.gz')],
    ];
    for (const [source, format] of sources) {
      assert.equal((await feeds.put('mls', source, { format })).unchanged, 2);
    }
    assert.equal(await sequenceOf(service, tenant), 2);
  });

  test('names columns, cleans values, and reports the bytes sent', async () => {
    const feeds = feedsOf(await service.createTenant());
    const file = 'externalId,Street,beds,baths,Price,Agent\nA,1 Elm Street,3,2.5,"$450,000",Ada\n';
    const seen: number[] = [];
    const { created, cleaned } = await feeds.put('mls', file, {
      format: 'csv',
      map: { Street: 'address', Price: 'listPrice', Agent: '' },
      clean: true,
      onProgress: (bytes) => seen.push(bytes),
    });
    assert.deepEqual([created, cleaned, seen.at(-1)], [1, 2, file.length]);
  });

  test('has a plan, which changes nothing until it is applied, and which another change makes stale', async () => {
    const tenant = await service.createTenant();
    const feeds = feedsOf(tenant);
    await feeds.put('mls', rows(3));
    const file = [row('A-0', { beds: 9 }), row('A-1'), row('A-9')];
    const plan = await feeds.plan('mls', file, { missing: 'delete' });
    assert.deepEqual([plan.created, plan.updated, plan.deleted, plan.guard], [1, 1, 1, []]);
    assert.deepEqual(plan.examples.update[0]?.changes, { beds: { from: 3, to: 9 } });
    assert.equal(plan.examples.missing[0]?.externalId, 'A-2');
    assert.equal(await sequenceOf(service, tenant), 3);

    await clientOf(tenant.key, service.url).listings.updateByExternalId('A-0', { beds: 8 });
    const stale = await guardOf(feeds.put('mls', file, { plan: plan.planId }));
    assert.deepEqual([stale.isPlanStale, stale.members.reasons, stale.members.expected?.deleted], [true, [], 1]);
    const run = await feeds.put('mls', file, { plan: stale.members.planId });
    assert.deepEqual([run.created, run.updated, run.deleted], [1, 1, 1]);
  });

  test('is stopped by the guard with a typed error, whose plan can be applied', async () => {
    const tenant = await service.createTenant();
    const feeds = feedsOf(tenant);
    await feeds.put('mls', rows(20));
    const guard = await guardOf(feeds.put('mls', rows(4), { missing: 'withdraw' }));
    const { reasons, plan, planId, runId } = guard.members;
    assert.deepEqual([guard.status, guard.isPlanStale, plan.withdrawn], [409, false, 16]);
    assert.deepEqual([reasons[0]?.reason, reasons[0]?.count, reasons[0]?.limit], ['missing', 16, 5]);
    assert.equal((await feeds.run('mls', runId)).outcome, 'stopped_by_guard');
    assert.equal(await sequenceOf(service, tenant), 20);
    const empty = await guardOf(feeds.put('mls', []));
    assert.equal(empty.members.reasons[0]?.reason, 'empty');
    assert.equal((await feeds.put('mls', rows(4), { plan: planId })).withdrawn, 16);
  });

  test('with a run in progress rejects another file, and names the run', async () => {
    const feeds = feedsOf(await service.createTenant());
    const gate = Promise.withResolvers<void>();
    async function* slow() {
      // Bytes are sent at once.
      yield new TextEncoder().encode(`${JSON.stringify(row('A-0'))}\n`);
      await gate.promise;
      yield row('A-1');
    }
    const first = feeds.put('mls', slow());
    const running = await until('a run is in progress', async () => {
      const [feed] = (await feeds.list()).data;
      return feed?.lastRun?.outcome === 'running' && feed.lastRun;
    });
    const busy = await Promise.resolve(feeds.put('mls', rows(1))).catch((error: unknown) => error);
    assert.ok(busy instanceof FeedBusyError, String(busy));
    assert.equal(busy.members.runId, running.id);
    gate.resolve();
    assert.equal((await first).created, 2);
  });

  test('is sent again after a rejection, but not after an interrupted run', async (t) => {
    let members: object = {};
    let attempts = 0;
    const server = createServer((request, response) => {
      attempts += 1;
      request.resume();
      const error = { code: 'unavailable', message: 'Not now.', ...members };
      response.writeHead(503, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }));
    });
    defer(t, () => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${Object(server.address()).port}/v1`;
    const feeds = new Feeds({ apiKey: (await service.createTenant()).key, baseUrl, maxRetries: 1 });
    await assert.rejects(feeds.put('mls', rows(1)), { code: 'unavailable' });
    assert.equal(attempts, 2);
    members = { runId: 'run_0' };
    await assert.rejects(feeds.put('mls', rows(1)), { code: 'unavailable' });
    assert.equal(attempts, 3);
  });

  test('has settings, and is deleted with or without its listings', async () => {
    const tenant = await service.createTenant();
    const feeds = feedsOf(tenant);
    const { listings } = clientOf(tenant.key, service.url);
    await assert.rejects(async () => feeds.update('mls', { clean: true }), NotFoundError);
    await feeds.put('mls', rows(2));
    const updated = await feeds.update('mls', {
      missing: 'delete',
      map: { Price: 'listPrice' },
      expectedEveryHours: 24,
    });
    assert.deepEqual([updated.missing, updated.expectedEveryHours, updated.isLate], ['delete', 24, false]);
    const reset = await feeds.update('mls', { map: null, missing: null });
    assert.deepEqual([reset.map, reset.missing], [{}, 'keep']);
    assert.deepEqual((await feeds.list()).data, [await feeds.retrieve('mls')]);
    await assert.rejects(async () => feeds.update('mls', { missingMax: 'many' }), ValidationFailedError);

    assert.equal(await feeds.delete('mls'), undefined);
    assert.equal((await listings.list({ limit: 1, count: true })).total, 2);
    await feeds.put('mls', rows(2));
    await feeds.delete('mls', { listings: 'delete' });
    assert.deepEqual((await listings.list()).data, []);
    await assert.rejects(async () => feeds.retrieve('mls'), NotFoundError);
    assert.throws(() => feeds.delete('..'), TypeError);
  });

  test('lists its runs page by page, newest first', async () => {
    const feeds = feedsOf(await service.createTenant());
    const ids: string[] = [];
    for (let count = 1; count <= 5; count += 1) ids.unshift((await feeds.put('mls', rows(count))).id);
    const runs = await Array.fromAsync(feeds.runs('mls', { limit: 2 }));
    assert.deepEqual(
      runs.map(({ id }) => id),
      ids,
    );
  });

  test('streams all failed rows with their own values, and rejects if they are cut off', async (t) => {
    const tenant = await service.createTenant();
    const proxy = await proxyFor(t, service.url);
    const feeds = feedsOf(tenant, proxy);
    const file = [row('A'), ...Array.from({ length: 250 }, (_, index) => row(`B-${index}`, { beds: 'many' }))];
    const { id, failed, errors } = await feeds.put('mls', file, { failedMax: '100%' });
    assert.deepEqual([failed, errors.length], [250, 100]);
    const failures = await Array.fromAsync(feeds.errors('mls', id));
    assert.deepEqual([failures.length, failures[249]?.line, failures[249]?.externalId], [250, 251, 'B-249']);
    assert.equal(failures[249]?.values?.beds, 'many');
    proxy.judge = () => 'shorten reply';
    await assert.rejects(Array.fromAsync(feeds.errors('mls', id)), { name: 'ConnectionError' });
  });
});
