import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, describe, type TestContext, test } from 'node:test';
import { defer } from '../../testkit/src/cleanup.ts';
import { startTestService, type Tenant } from '../../testkit/src/service.ts';
import { until } from '../../testkit/src/until.ts';
import { NotFoundError, ValidationFailedError } from '../src/index.ts';
import { WebhookEndpoints } from '../src/webhook-endpoints.ts';
import { verifyWebhook, type WebhookEvent } from '../src/webhooks.ts';
import { clientOf, HOME } from './support/connect.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

function endpointsOf({ key }: Tenant): WebhookEndpoints {
  return new WebhookEndpoints({ apiKey: key, baseUrl: `${service.url}/v1` });
}

/** Starts a server that verifies webhooks with these secrets; its status is 204 or 400. */
async function receiverFor(t: TestContext, secrets: string[]) {
  const received: WebhookEvent[] = [];
  const server = createServer(async (request, response) => {
    const event = await verifyWebhook(await text(request), request.headers, secrets).catch(() => undefined);
    if (event !== undefined) received.push(event);
    response.writeHead(event === undefined ? 400 : 204).end();
  }).listen(0, '127.0.0.1');
  defer(t, () => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${Object(server.address()).port}/hooks`, received };
}

describe('webhook endpoints', () => {
  test('receive every event, and again after a replay or a redelivery, with signatures that verifyWebhook accepts', async (t) => {
    const tenant = await service.createTenant();
    const endpoints = endpointsOf(tenant);
    const secrets: string[] = [];
    const { url, received } = await receiverFor(t, secrets);
    const { secret, ...created } = await endpoints.create({ url, description: 'Website' });
    secrets.push(secret);
    assert.deepEqual(await endpoints.retrieve(created.id), created);
    const { listings, events } = clientOf(tenant.key, service.url);
    const listing = await listings.create(HOME);
    await listings.delete(listing.id);
    await until('both events arrive', () => received.length === 2);
    const { data } = await events.list();
    assert.deepEqual(
      received.map((event) => event.data),
      data,
    );

    const areSettled = async () => {
      const { position, pending } = await endpoints.retrieve(created.id);
      return position === 2 && pending === 0;
    };
    await until('both are settled', areSettled);
    await endpoints.replay(created.id, { after: 0 });
    await until('both events arrive again', () => received.length === 4);
    assert.deepEqual(
      received.slice(2).map(({ id }) => id),
      received.slice(0, 2).map(({ id }) => id),
    );
    await until('both are settled again', areSettled);
    const [delivery] = await until('both are delivered', async () => {
      const page = await endpoints.deliveries(created.id, { state: ['delivered'], limit: 10 });
      return page.data.length === 2 && page.data;
    });
    assert.equal(delivery?.id, received[1]?.id);
    await endpoints.redeliver(created.id, delivery?.id ?? '');
    await until('one event arrives again', () => received.length === 5);
    assert.equal(received[4]?.id, delivery?.id);
  });

  test('are tested, changed, and deleted, and their secrets rolled', async (t) => {
    const endpoints = endpointsOf(await service.createTenant());
    const secrets: string[] = [];
    const { url, received } = await receiverFor(t, secrets);
    const { id, secret } = await endpoints.create({ url });
    secrets.push(secret);
    const sample = await endpoints.test(id);
    assert.deepEqual([sample.delivered, sample.status, sample.id], [true, 204, received[0]?.id]);
    assert.deepEqual([received[0]?.type, received[0]?.data], ['webhook.test', { webhookId: id }]);

    const rolled = await endpoints.rollSecret(id);
    assert.notEqual(rolled.secret, secret);
    assert.equal((await endpoints.test(id)).delivered, true, 'the old secret is valid for 24 hours');
    secrets[0] = rolled.secret;
    assert.equal((await endpoints.test(id)).delivered, true, 'the new secret is valid at once');

    const updated = await endpoints.update(id, { enabled: false, types: ['listing.deleted'] });
    assert.deepEqual([updated.enabled, updated.types], [false, ['listing.deleted']]);
    assert.deepEqual((await endpoints.list()).data, [updated]);
    assert.equal(await endpoints.delete(id), undefined);
    await assert.rejects(endpoints.retrieve(id), NotFoundError);
  });

  test('are rejected if fields are invalid, with the names of the fields, and before any request if IDs are invalid', async () => {
    const endpoints = endpointsOf(await service.createTenant());
    await assert.rejects(endpoints.create({ url: 'ftp://example.com' }), (error) => {
      assert.ok(error instanceof ValidationFailedError);
      assert.equal(error.details[0]?.field, 'url');
      return true;
    });
    for (const id of ['', '.', '..']) assert.throws(() => endpoints.delete(id), TypeError);
  });
});
