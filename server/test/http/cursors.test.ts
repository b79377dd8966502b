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

async function assertRejected(owner: Tenant, given: string): Promise<void> {
  const response = await service.fetch(owner, `/v1/listings?limit=1&cursor=${encodeURIComponent(given)}`);
  assert.deepEqual(faultsOf(await readError(response, 400, 'invalid_cursor')), ['query.cursor: invalid_format']);
}

test('a cursor does not show its contents', () => {
  assert.match(cursor, /^[A-Za-z0-9_-]+$/);
});

test('a cursor with one changed character is rejected', async () => {
  for (let index = 0; index < cursor.length; index += 1) {
    for (const other of cursor[index] === 'A' ? ['B'] : ['A', '_']) {
      if (other === cursor[index]) continue;
      await assertRejected(tenant, cursor.slice(0, index) + other + cursor.slice(index + 1));
    }
  }
});

test('a truncated, extended, or re-encoded cursor is rejected', async () => {
  const padded = Buffer.from(cursor, 'base64url').toString('base64');
  for (const given of [
    ...[cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, `${cursor}=`, `${cursor} `, `${cursor}\u0000`],
  ]) {
    await assertRejected(tenant, given);
  }
  if (padded !== cursor) await assertRejected(tenant, padded);
});

test('a string that was never a cursor is rejected', async () => {
  for (const given of ['garbage', 'null', '0', '-', '%', '😀', 'A'.repeat(5000), "' or 1=1 --", '../..', '{"id":1}']) {
    await assertRejected(tenant, given);
  }
});

test('another account’s cursor is rejected, even for a list of the same length', async () => {
  const other = await service.createTenant();
  await fill(service, other, 3);
  await assertRejected(other, cursor);
  await assertRejected(tenant, await firstCursor(other));
});

test('a cursor stays valid when listings are created after it', async () => {
  await fill(service, tenant, 5);
  const { data } = await readList(await service.fetch(tenant, `/v1/listings?cursor=${cursor}`));
  assert.equal(data.length, 2);
});
