import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { actorOf, OPERATOR } from '../../src/domain/access/audit.ts';
import { firstIdAt } from '../../src/lib/ids.ts';
import type { AuditActor, AuditEntry } from '../../src/model/audit.ts';
import { insertAuditEntry } from '../../src/storage/audit.ts';

const service = await startSharedService();

async function enter() {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const list = async (query: string) => (await browser.ask('GET', `/admin/activity?${query}`)).data;
  return { person, browser, list, actions: async (query: string) => (await list(query)).map(actionOf) };
}

const actionOf = ({ action }: { action: string }) => action;

test('the log is filtered by action, actor, target, and time', async () => {
  const { person, browser, list, actions } = await enter();
  const grace = await createPerson(service, { accountId: person.accountId, role: 'administrator' });
  const other = await signIn(service, grace);
  const { id } = await browser.ask('POST', '/admin/listings', MINIMAL, 201);
  await other.ask('POST', '/admin/api-keys', { name: 'Website' }, 201);
  await other.ask('DELETE', `/admin/listings/${id}`, undefined, 204);

  assert.deepEqual(await actions('action=listing.created,api_key.created'), ['api_key.created', 'listing.created']);
  assert.deepEqual(await actions(`actorId=${grace.userId}&limit=2`), ['listing.deleted', 'api_key.created']);
  assert.deepEqual(await actions(`targetId=${id}`), ['listing.deleted', 'listing.created']);
  assert.deepEqual(await actions(`targetId=${id}&actorId=${grace.userId}`), ['listing.deleted']);
  assert.deepEqual(await actions('actorType=operator'), ['member.joined', 'member.joined', 'account.created']);
  assert.deepEqual(await actions('actorId=usr_0'), []);

  const all = await list('');
  const { at } = all.at(-1);
  assert.deepEqual(await list(`at[gte]=${at}`), all);
  assert.deepEqual(await list('at[gte]=1900-01-01'), all);
  assert.deepEqual(await list(`at[lt]=${at}`), []);
  assert.deepEqual(await list('at[lt]=1900-01-01'), []);
  const { at: between } = all[1];
  assert.deepEqual(
    await list(`at[lt]=${between}`),
    all.filter((entry: { at: string }) => entry.at < between),
  );
});

test('a cursor belongs to its filters, and wrong filters get errors that say what to use', async () => {
  const { browser } = await enter();
  const { nextCursor } = await browser.ask('GET', '/admin/activity?actorType=operator&limit=1');
  const ask = (query: string) => browser.send('GET', `/admin/activity?${query}`);
  assert.equal((await ask(`actorType=operator&limit=1&cursor=${nextCursor}`)).status, 200);
  await readError(await ask(`actorType=service&limit=1&cursor=${nextCursor}`), 400, 'invalid_cursor');
  const { details = [] } = await readError(
    await ask('action=listing.create&actorType=x&at[lt]=soon'),
    400,
    'invalid_query',
  );
  assert.deepEqual(
    details.map(({ field, message }) => `${field}: ${message}`),
    [
      'query.action: There is no "listing.create". Did you mean "listing.created"?',
      'query.actorType: There is no "x". Use one of administrator, api_key, operator, service.',
      'query.at[lt]: Must be a time such as 2026-01-31T09:30:00Z, or a date.',
    ],
  );
});

test('a filter without matches examines a long log in parts, each of which is bounded', async () => {
  const { person, browser } = await enter();
  const actor = actorOf({ ...person, userName: 'Ada Lovelace', address: null });
  const entry = (index: number, from: AuditActor): AuditEntry => ({
    accountId: person.accountId,
    id: `${firstIdAt('aud', index)}${'0'.repeat(16)}`,
    at: index,
    actor: from,
    action: 'account.updated',
    target: null,
  });
  for (let first = 0; first < 12_000; first += 1_000) {
    await service.database.writeLong(async (transaction) => {
      for (let index = first; index < first + 1_000; index += 1) {
        await insertAuditEntry(transaction, entry(index, index === 0 ? OPERATOR : actor));
      }
    }, person.accountId);
  }
  const path = '/admin/activity?limit=1000&action=account.updated&actorType=operator';
  const pages = [];
  for (let cursor = ''; ; ) {
    const { data, nextCursor } = await browser.ask('GET', `${path}${cursor && `&cursor=${cursor}`}`);
    pages.push(data.length);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  assert.deepEqual(pages, [0, 0, 1]);
});
