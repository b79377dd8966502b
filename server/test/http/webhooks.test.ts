import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { startReceiver } from '../support/receiver.ts';

const service = await startSharedService();

test('first', async (t) => {
  const receiver = await startReceiver(t);
  const tenant = await service.createTenant();
  const send = (method: string, path: string, body: unknown) =>
    service.fetch(tenant, path, {
      method,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
  const created = await send('POST', '/v1/webhooks', { url: receiver.url });
  const text = await created.text();
  console.log(created.status, text);
  const began = performance.now();
  await send('POST', '/v1/listings', MINIMAL);
  await until('received', () => receiver.requests.length > 0);
  console.log(performance.now() - began, receiver.requests);
  const { id } = JSON.parse(text);
  await until('stored', async () => {
    const { data } = await (await service.fetch(tenant, `/v1/webhooks/${id}/deliveries`)).json();
    if (data.length > 0) console.log(data);
    return data.length > 0;
  });
  console.log(await (await service.fetch(tenant, `/v1/webhooks/${id}`)).json());
  console.log(await (await send('POST', `/v1/webhooks/${id}/test`, {})).json());
  console.log(await (await send('POST', `/v1/webhooks/${id}/replay`, { after: 0 })).json());
  await until('received', () => receiver.requests.length > 2);
  console.log(await (await send('POST', `/v1/webhooks/${id}/roll-secret`, {})).json());
  console.log((await send('DELETE', `/v1/webhooks/${id}`, {})).status);
  assert.ok(true);
});
