import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { KEY_REFUSED } from '../../../testkit/src/replies.ts';
import { startTestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteApiKey } from '../../src/domain/api-keys.ts';

test('a key that is deleted while a body is on its way creates nothing', async () => {
  await using service = await startTestService();
  const tenant = await service.createTenant();
  const other = await service.createTenant('Other');
  const headers = { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json', Expect: '100-continue' };
  const sending = request(`${service.url}/v1/listings`, { method: 'POST', headers });
  const replied = once(sending, 'response');
  sending.flushHeaders();
  // The body is asked for: the key was good.
  await once(sending, 'continue');
  await deleteApiKey(service.database, tenant.keyId);
  sending.end('{"address":"12 Elm Street","beds":3,"baths":2}');
  const [reply] = await replied;
  assert.equal(reply.statusCode, 401);
  assert.equal(await text(reply), KEY_REFUSED);
  assert.match(reply.headers['www-authenticate'], /error_description="This API key was deleted or has expired since/);
  await until('the service to answer others', async () => (await service.fetch(other, '/v1/me')).ok);
});
