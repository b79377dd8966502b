import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fill, fillWithLarge, openList, readAll } from '../../../testkit/src/listings.ts';
import { openRaw } from '../../../testkit/src/raw.ts';
import { readList } from '../../../testkit/src/replies.ts';
import { startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { untilStill } from '../../../testkit/src/still.ts';
import { deleteApiKey, issueApiKey } from '../../src/domain/keys/api-keys.ts';
import { MEBIBYTE, memoryBytes } from '../support/memory.ts';

const LARGE = 30;
/** The bytes that the service reads at a time, plus the listing that exceeds them. */
const CHUNK_BYTES_MAX = 2 * MEBIBYTE;

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const tenant = await service.createTenant();
/** Small listings before, between, and after large ones; newest first. */
async function fillMixed(owner: Tenant, small: number, large: number): Promise<string[]> {
  const ids = [
    ...(await fill(service, owner, small)),
    ...(await fillWithLarge(service, owner, large)),
    ...(await fill(service, owner, small)),
    ...(await fillWithLarge(service, owner, large)),
    ...(await fill(service, owner, 3)),
  ];
  return ids.reverse();
}
const ids = await fillMixed(tenant, 30, LARGE / 2);
/** An account with fewer listings, which still take several chunks. */
const lesser = await service.createTenant();
const lesserIds = await fillMixed(lesser, 5, 3);

const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

/** The chunk lengths of a response. */
async function readChunkLengths(query: string): Promise<number[]> {
  using connection = await openRaw(service.url);
  const lines = `Host: localhost\r\nAuthorization: Bearer ${tenant.key}\r\nConnection: close\r\n`;
  connection.send(`GET /v1/listings${query} HTTP/1.1\r\n${lines}\r\n`);
  const bytes = Buffer.from(await connection.readToEnd());
  const lengths: number[] = [];
  for (let start = bytes.indexOf('\r\n\r\n') + 4; start < bytes.length; ) {
    const end = bytes.indexOf('\r\n', start);
    const length = Number.parseInt(bytes.toString('latin1', start, end), 16);
    lengths.push(length);
    start = end + 2 + length + 2;
  }
  return lengths;
}

/** The last warnings and errors of the service. */
function problems(): string {
  const lines = service.logLines.filter((line) => JSON.parse(line).level >= 40);
  return lines.slice(-3).join('');
}

/** Deletes listings directly in the database. */
async function removeListings(removed: string[]): Promise<void> {
  for (const id of removed) await service.sql('delete from listings where id = ?', id);
}

describe('listings of nearly a mebibyte', () => {
  test('are in the complete list once, in order', async () => {
    assert.deepEqual(idsOf(await readList(await service.fetch(tenant, '/v1/listings'))), ids);
  });

  for (const limit of [1, 2, 3, 7, lesserIds.length, lesserIds.length + 1, 1000]) {
    test(`are in pages of ${limit} in the order of the complete list`, async () => {
      const seen: string[] = [];
      let query = `?limit=${limit}`;
      for (;;) {
        const response = await service.fetch(lesser, `/v1/listings${query}`);
        const link = response.headers.get('link');
        const page = await readList(response);
        seen.push(...idsOf(page));
        assert.equal(page.data.length, Math.min(limit, lesserIds.length - seen.length + page.data.length));
        assert.equal(page.nextCursor === null, seen.length === lesserIds.length, 'only the last page has no cursor');
        const next = `?limit=${limit}&cursor=${page.nextCursor}`;
        assert.equal(link, page.nextCursor === null ? null : `</v1/listings${next}>; rel="next"`);
        if (page.nextCursor === null) break;
        query = next;
      }
      assert.deepEqual(seen, lesserIds);
    });
  }

  for (const query of ['', '?limit=60']) {
    test(`are read a few at a time for /v1/listings${query}`, async () => {
      const lengths = await readChunkLengths(query);
      assert.ok(Math.max(...lengths) <= CHUNK_BYTES_MAX, `a chunk of ${Math.max(...lengths)} bytes`);
    });

    test(`use little memory while a reader of /v1/listings${query} pauses, and other requests are served`, async () => {
      const before = memoryBytes();
      const response = await openList(service, tenant, query);
      await untilStill('the service waits for its reader', () => Math.round(memoryBytes() / MEBIBYTE));
      const growth = memoryBytes() - before;
      assert.ok(growth < 12 * MEBIBYTE, `memory grew by ${Math.round(growth / MEBIBYTE)} MiB`);
      assert.equal((await service.fetch(tenant, '/v1/me')).status, 200);

      const { text, isComplete } = await readAll(response);
      assert.ok(isComplete && Buffer.byteLength(text) > 20 * MEBIBYTE, `${text.length} characters; ${problems()}`);
    });
  }

  test('other requests are served while the list is sent', async () => {
    const response = await openList(service, tenant);
    let served = 0;
    let isOver = false;
    const reading = readAll(response).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await (await service.fetch(tenant, '/v1/me')).text();
      if (!isOver) served += 1;
    }
    assert.ok((await reading).isComplete);
    assert.ok(served > 0);
  });
});

test('a page sent in several runs ends at its cursor, even if listings are created and deleted between runs', async () => {
  const owner = await service.createTenant();
  const owned = (await fillWithLarge(service, owner, 14)).reverse();
  const response = await openList(service, owner, '?limit=10');
  await fill(service, owner, 5);
  // A listing within the page, the page's last one, and the first of the next page.
  const gone = [owned[7], owned[9], owned[10]].map(String);
  await removeListings(gone);
  const page = JSON.parse((await readAll(response)).text);
  const rest = await readList(await service.fetch(owner, `/v1/listings?cursor=${page.nextCursor}`));
  assert.ok(page.data.length <= 10);
  assert.deepEqual(
    [...idsOf(page), ...idsOf(rest)].filter((id) => !gone.includes(id)),
    owned.filter((id) => !gone.includes(id)),
  );
});

test('a page sent in several runs is cut off if its key is deleted', async () => {
  const { key, secret } = await issueApiKey(service.database, {
    accountId: tenant.accountId,
    name: 'Short-lived',
    access: 'read',
    expiresAt: null,
    createdBy: null,
  });
  const response = await openList(service, { ...tenant, key: secret }, '?limit=60');
  await deleteApiKey(service.database, key.id);
  const { text, isComplete } = await readAll(response);
  assert.equal(isComplete, false);
  assert.throws(() => JSON.parse(text));
});
