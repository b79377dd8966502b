import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { KEY_REJECTED } from '../../../testkit/src/replies.ts';
import { startTestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteApiKey } from '../../src/domain/keys/api-keys.ts';

test('a key deleted while the body is being sent gets 401 and creates nothing', async () => {
  await using service = await startTestService();
  const tenant = await service.createTenant();
  const other = await service.createTenant('Other');
  const headers = { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json', Expect: '100-continue' };
  const sending = request(`${service.url}/v1/listings`, { method: 'POST', headers });
  const replied = once(sending, 'response');
  sending.flushHeaders();
  // 100 Continue shows that the key was accepted.
  await once(sending, 'continue');
  await deleteApiKey(service.database, tenant.keyId);
  sending.end('{"address":"12 Elm Street","beds":3,"baths":2}');
  const [reply] = await replied;
  assert.equal(reply.statusCode, 401);
  assert.equal(await text(reply), KEY_REJECTED);
  assert.match(reply.headers['www-authenticate'], /error_description="This API key was deleted or has expired since/);
  await until('the service responds to other keys', async () => (await service.fetch(other, '/v1/me')).ok);
});
