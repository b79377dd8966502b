import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSharedService } from '../../../testkit/src/service.ts';
import { readListsWhileWriting } from '../../../testkit/src/stale-lists.ts';
import { ListCache } from '../../src/http/protocol/list-cache.ts';
import { ReadyBody } from '../../src/http/protocol/ready-body.ts';

/** `LISTS=1000000` takes about ten minutes. */
const LISTS = Number(process.env.LISTS ?? 500);

const service = await startSharedService();
const listing = { address: '12 Elm Street', beds: 3, baths: 2, description: 'A house by the lake. '.repeat(20) };

test('while a listing changes, no list lacks a change acknowledged before its request', async () => {
  const { key } = await service.createTenant();
  await readListsWhileWriting({ url: service.url, key }, LISTS);
});

test('a repeated list has the same bytes, in each encoding, with its own link', async () => {
  const tenant = await service.createTenant();
  const headers = { 'Content-Type': 'application/json' };
  for (let count = 0; count < 3; count += 1)
    await service.fetch(tenant, '/v1/listings', { method: 'POST', headers, body: JSON.stringify(listing) });
  const read = async (query: string, encoding = 'identity') => {
    const response = await service.fetch(tenant, `/v1/listings${query}`, { headers: { 'Accept-Encoding': encoding } });
    const { headers: replied } = response;
    assert.equal(replied.get('content-encoding') ?? 'identity', encoding);
    return { body: await response.text(), etag: replied.get('etag'), link: replied.get('link') };
  };
  const first = await read('?limit=2&beds=3');
  for (const encoding of ['identity', 'gzip', 'br', 'gzip', 'br'])
    assert.deepEqual(await read('?limit=2&beds=3', encoding), first);
  const other = await read('?beds=3&limit=2');
  assert.deepEqual({ ...other, link: '' }, { ...first, link: '' });
  assert.match(first.link ?? '', /\?limit=2&beds=3&cursor=/);
  assert.match(other.link ?? '', /\?beds=3&limit=2&cursor=/);
});

test('a list is never served to another account or after its key is deleted', async () => {
  const [tenant, other] = [await service.createTenant(), await service.createTenant()];
  const addressOf = async (account: typeof tenant) => {
    const body = JSON.stringify({ ...listing, address: account.accountId });
    const headers = { 'Content-Type': 'application/json' };
    await service.fetch(account, '/v1/listings', { method: 'POST', headers, body });
    const list = await (await service.fetch(account, '/v1/listings?limit=20')).text();
    return JSON.parse(list).data.map(({ address }: { address: string }) => address);
  };
  assert.deepEqual(await addressOf(tenant), [tenant.accountId]);
  assert.deepEqual(await addressOf(other), [other.accountId]);
  await service.sql('delete from api_keys where id = ?', tenant.keyId);
  assert.equal((await service.fetch(tenant, '/v1/listings?limit=20')).status, 401);
});

test('the cache holds short lists that are requested again, and above its limit drops the oldest', () => {
  const cache = new ListCache();
  const reply = (length: number) => ({ status: 200, headers: {}, body: 'x'.repeat(length) });
  const addTwice = (key: string, length: number) => {
    assert.equal(cache.add(key, key, reply(length)).body, 'x'.repeat(length));
    assert.equal(cache.find(key), undefined, 'cached at the first request');
    return cache.add(key, key, reply(length));
  };
  assert.equal(addTwice('long', 64 * 1024 + 1).body, 'x'.repeat(64 * 1024 + 1));
  assert.equal(cache.find('long'), undefined);
  for (let index = 0; index < 1_000; index += 1) addTwice(`list ${index}`, 64 * 1024);
  assert.equal(cache.find('list 0'), undefined);
  assert.ok(cache.find('list 999')?.body instanceof ReadyBody);
});
