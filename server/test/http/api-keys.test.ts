import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fill, fillBeyondBuffers, MINIMAL, openList, post, readAll } from '../../../testkit/src/listings.ts';
import { KEY_REJECTED, readError, readList, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteApiKey } from '../../src/domain/keys/api-keys.ts';

const service = await startSharedService();

async function assertRejected(tenant: Tenant, description: RegExp): Promise<void> {
  const response = await service.fetch(tenant, '/v1/me');
  assert.deepEqual([response.status, await response.text()], [401, KEY_REJECTED]);
  assert.match(response.headers.get('www-authenticate') ?? '', description);
}

describe('a key is checked on every request', () => {
  test('a deleted key gets 401', async () => {
    const tenant = await service.createTenant();
    assert.equal((await service.fetch(tenant, '/v1/me')).status, 200);
    await deleteApiKey(service.database, tenant.keyId);
    await assertRejected(tenant, /error="invalid_token".*deleted/);
  });

  test('a key deleted by another connection gets 401', async () => {
    const tenant = await service.createTenant();
    assert.equal((await service.fetch(tenant, '/v1/me')).status, 200);
    await service.sql('delete from api_keys where id = ?', tenant.keyId);
    await assertRejected(tenant, /error="invalid_token".*deleted/);
  });

  test("a deleted account's key gets 401", async () => {
    const tenant = await service.createTenant();
    await service.sql('delete from accounts where id = ?', tenant.accountId);
    await assertRejected(tenant, /error="invalid_token"/);
  });

  test('an expired key gets 401', async () => {
    const { accountId } = await service.createTenant();
    const tenant = await service.createKey(accountId, 'full', Date.now() + 3_600_000);
    assert.equal((await service.fetch(tenant, '/v1/me')).status, 200);
    await service.sql('update api_keys set expires_at = created_at + 1 where id = ?', tenant.keyId);
    await assertRejected(tenant, /error="invalid_token".*expired/);
  });

  test("deleting a key leaves the account's other keys working", async () => {
    const tenant = await service.createTenant();
    const second = await service.createKey(tenant.accountId);
    await deleteApiKey(service.database, tenant.keyId);
    assert.equal((await service.fetch(second, '/v1/me')).status, 200);
  });

  test('deleting a key cuts off the list it is reading', async () => {
    const tenant = await service.createTenant();
    await fillBeyondBuffers(service, tenant);
    const response = await openList(service, tenant);
    await deleteApiKey(service.database, tenant.keyId);
    const { text, isComplete } = await readAll(response);
    assert.equal(isComplete, false);
    assert.throws(() => JSON.parse(text));
  });
});

describe('a read-only key', () => {
  test("can read its account's listings", async () => {
    const tenant = await service.createTenant('Readers', 'read');
    const [id] = await fill(service, tenant, 1);
    assert.equal((await readList(await service.fetch(tenant, '/v1/listings'))).data.length, 1);
    assert.equal((await readListing(await service.fetch(tenant, `/v1/listings/${id}`))).id, id);
  });

  test('gets 400 for invalid JSON, but 403 before fields are checked', async () => {
    const tenant = await service.createTenant('Readers', 'read');
    await readError(await post(service, tenant, '{'), 400, 'invalid_json');
    await readError(await post(service, tenant, {}), 403, 'insufficient_scope');
  });
});

test('keys appear in neither log nor database, and their last use is stored on shutdown', async () => {
  const stopping = await startTestService();
  try {
    const tenants = [await stopping.createTenant(), await stopping.createTenant('Readers', 'read')];
    const startTimeMs = Date.now();
    for (const tenant of tenants) {
      await (await post(stopping, tenant, MINIMAL)).text();
      await (await stopping.fetch(tenant, `/v1/listings?key=${tenant.key}`)).text();
      await (await stopping.fetch(tenant, `/v1/listings?cursor=${tenant.key}`)).text();
      await (await post(stopping, tenant, { ...MINIMAL, secret: tenant.key })).text();
    }
    await until('every request is logged', () => stopping.logLines.length === 8);
    await stopping.stop();

    const secrets = tenants.flatMap(({ key }) => [key, key.slice(9), Buffer.from(key).toString('base64')]);
    const files = await readdir(stopping.directory);
    const contents = await Promise.all(files.map((file) => readFile(join(stopping.directory, file), 'latin1')));
    for (const secret of secrets) {
      assert.ok(!stopping.logLines.join('').includes(secret), 'a key is in the log');
      assert.ok(!contents.join('').includes(secret), 'a key is in the database');
    }
    const keys = await stopping.sql('select last_used_at from api_keys');
    for (const { last_used_at: lastUsedAt } of keys) {
      assert.ok(Number(lastUsedAt) >= startTimeMs && Number(lastUsedAt) <= Date.now());
    }
  } finally {
    await rm(stopping.directory, { recursive: true, force: true });
  }
});
