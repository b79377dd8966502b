import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from '../../../testkit/src/listings.ts';
import { faultsOf, readError, readList } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';

const service = await startSharedService();
const tenant = await service.createTenant();
await fill(service, tenant, 3);
const cursor = await firstCursor(tenant);

async function firstCursor(owner: Tenant): Promise<string> {
  const { nextCursor } = await readList(await service.fetch(owner, '/v1/listings?limit=1'));
  assert.ok(nextCursor !== null);
  return nextCursor;
}

async function assertRefused(owner: Tenant, given: string): Promise<void> {
  const response = await service.fetch(owner, `/v1/listings?limit=1&cursor=${encodeURIComponent(given)}`);
  assert.deepEqual(faultsOf(await readError(response, 400, 'invalid_cursor')), ['query.cursor: invalid_format']);
}

test('a cursor says nothing of what it stands for in a query', () => {
  assert.match(cursor, /^[A-Za-z0-9_-]+$/);
});

test('a cursor with any one character changed is refused', async () => {
  for (let index = 0; index < cursor.length; index += 1) {
    for (const other of cursor[index] === 'A' ? ['B'] : ['A', '_']) {
      if (other === cursor[index]) continue;
      await assertRefused(tenant, cursor.slice(0, index) + other + cursor.slice(index + 1));
    }
  }
});

test('a cursor that was cut, lengthened or encoded in another way is refused', async () => {
  const padded = Buffer.from(cursor, 'base64url').toString('base64');
  for (const given of [
    ...[cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, `${cursor}=`, `${cursor} `, `${cursor}\u0000`],
  ]) {
    await assertRefused(tenant, given);
  }
  if (padded !== cursor) await assertRefused(tenant, padded);
});

test('what was never a cursor is refused', async () => {
  for (const given of ['garbage', 'null', '0', '-', '%', '😀', 'A'.repeat(5000), "' or 1=1 --", '../..', '{"id":1}']) {
    await assertRefused(tenant, given);
  }
});

test('another account’s cursor is refused, also for a list of the same length', async () => {
  const other = await service.createTenant();
  await fill(service, other, 3);
  await assertRefused(other, cursor);
  await assertRefused(tenant, await firstCursor(other));
});

test('a cursor stays good when listings are created after it', async () => {
  await fill(service, tenant, 5);
  const { data } = await readList(await service.fetch(tenant, `/v1/listings?cursor=${cursor}`));
  assert.equal(data.length, 2);
});
