import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createAccount, deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { countRequestsByDay, findRequests } from '../../src/domain/requests/request-history.ts';
import { RequestLog } from '../../src/domain/requests/request-log.ts';
import { purgeRequestLog, purgeRequestsOfDeletedAccounts } from '../../src/domain/requests/request-purge.ts';
import { type EntryPosition, type LoggedRequest, type RequestEntry, SIMILAR_MAX } from '../../src/model/request-log.ts';
import type { LogDatabase } from '../../src/storage/database.ts';
import { findRequestBlocks, sumRequestBytes } from '../../src/storage/request-blocks.ts';
import { databaseFor } from '../storage/support.ts';

const RETENTION = { days: 7, bytes: 1_000_000_000 };
const DAY_MS = 86_400_000;
const SIGNAL = new AbortController().signal;

function request(change: Partial<LoggedRequest>): LoggedRequest {
  return {
    ...{ at: Date.now(), keyId: 'key_1', method: 'GET', path: '/v1/me', query: '', status: 200, code: null },
    ...{ durationMs: 1, requestId: 'r', sequence: null, errorBody: null, ...change },
  };
}

async function logFor(t: TestContext) {
  const { database, accountId } = await databaseFor(t);
  const losses: number[] = [];
  const log = new RequestLog(database.requestLog, RETENTION, (count) => losses.push(count));
  const record = (change: Partial<LoggedRequest>, account = accountId) => log.record(account, request(change));
  const find = async (account = accountId) => (await findAll(database.requestLog, account, {}, 1_000)).flat();
  const ids = async (account = accountId) => (await find(account)).map(({ requestId }) => requestId);
  return { database, accountId, log, losses, record, find, ids };
}

/** All pages of a search. */
async function findAll(database: LogDatabase, accountId: string, filter: object, limit: number) {
  const pages: RequestEntry[][] = [];
  let after: EntryPosition | undefined;
  do {
    const page = await findRequests(database, accountId, filter, { after, limit });
    pages.push(page.entries);
    after = page.next;
  } while (after !== undefined);
  return pages;
}

test('requests of several processes are listed in the order in which they end, even if they are written late', async (t) => {
  const { database, accountId, log, ids } = await logFor(t);
  const start = Date.now();
  const other = new RequestLog(database.requestLog, RETENTION, () => {});
  for (const [index, each] of [log, other, log, other, other, log].entries()) {
    const at = start + index * 100;
    each.record(accountId, request({ at, requestId: `${index}` }));
  }
  await other.flush();
  await log.flush();
  assert.deepEqual(await ids(), ['5', '4', '3', '2', '1', '0']);
});

test('many requests are stored in few blocks, and the pages list each of them once, newest first', async (t) => {
  const { database, accountId, log, record, losses } = await logFor(t);
  const at = Date.now();
  for (let count = 0; count < 3_000; count += 1) record({ at: at - (count % 7) * 50, requestId: `r${count}` });
  await log.flush();
  const blocks = await findRequestBlocks(
    database.requestLog,
    accountId,
    { since: '', before: '~', failed: false },
    100,
  );
  assert.ok(blocks.length < 3_000 / 2, `${blocks.length} blocks`);
  const found = (await findAll(database.requestLog, accountId, {}, 250)).flat();
  assert.equal(new Set(found.map(({ requestId }) => requestId)).size, 3_000);
  assert.equal(new Set(found.map(({ id }) => id)).size, 3_000);
  assert.deepEqual(
    found,
    found.toSorted((one, next) => next.at - one.at),
  );
  assert.deepEqual(losses, []);
});

test('similar requests within a quarter of a second are only counted, and all others are logged', async (t) => {
  const at = Math.floor(Date.now() / 1_000) * 1_000;
  t.mock.timers.enable({ apis: ['Date'], now: at });
  const { database, accountId, log, record, find } = await logFor(t);
  const send = (times: number, change: Partial<LoggedRequest>) => {
    const { keyId, method, status } = request(change);
    for (let count = 0; count < times; count += 1)
      if (!log.countInstead(keyId, method, status, Date.now())) record({ at: Date.now(), ...change });
  };
  const omitted = async () =>
    (await find())
      .filter((entry) => entry.omitted > 0)
      .map(({ keyId, status, omitted }) => `${keyId} ${status} ${omitted}`);
  send(SIMILAR_MAX + 100, { status: 304, query: 'q'.repeat(400) });
  send(SIMILAR_MAX, { method: 'HEAD' });
  send(70, {});
  send(SIMILAR_MAX + 5, { status: 429, method: 'POST' });
  for (const change of [{ method: 'POST', status: 201 }, { status: 404 }, { status: null }])
    send(SIMILAR_MAX + 1, change);
  send(SIMILAR_MAX, { keyId: 'key_2' });
  await log.flush();
  const few = ['key_1 200 70', 'key_1 304 100', 'key_1 429 5'];
  assert.deepEqual(new Set(await omitted()), new Set(few));
  assert.equal((await find()).length, 4 * SIMILAR_MAX + 3 * (SIMILAR_MAX + 1));

  send(10, { status: 304 });
  t.mock.timers.setTime(at + 250);
  send(10, { status: 304 });
  await log.flush();
  assert.deepEqual(new Set(await omitted()), new Set([...few, 'key_1 304 9']));
  const day = Math.floor(at / DAY_MS);
  const counts = await countRequestsByDay(database.requestLog, accountId, { from: day, to: day });
  assert.deepEqual([...counts], [[day, 7 * SIMILAR_MAX + 198]]);
});

test('requests are stored once if the database runs a write again', async (t) => {
  const { database, accountId } = await logFor(t);
  const { requestLog } = database;
  const repeating: LogDatabase = {
    ...requestLog,
    execute: (statement, parameters) => requestLog.execute(statement, parameters),
    async write(job) {
      await requestLog
        .write(async (transaction) => {
          await job(transaction);
          throw new Error('The connection is lost.');
        })
        .catch(() => {});
      return requestLog.write(job);
    },
  };
  const log = new RequestLog(repeating, RETENTION, () => {});
  for (const requestId of ['0', '1']) log.record(accountId, request({ requestId }));
  await log.flush();
  const [page = []] = await findAll(requestLog, accountId, {}, 10);
  assert.deepEqual(page.map(({ requestId }) => requestId).sort(), ['0', '1']);
});

test('a page examines a bounded part of the log, and the next page continues from there', async (t) => {
  const { database, accountId, log, record } = await logFor(t);
  const at = Date.now();
  // Each request is in a block of its own.
  for (let count = 0; count < 1_200; count += 1)
    record({ at: at - count * 300, keyId: count === 1_100 ? 'key_2' : 'key_1', status: count === 1_150 ? 500 : 200 });
  await log.flush();
  let examined = 0;
  const counting: LogDatabase = {
    ...database.requestLog,
    write: (job) => database.requestLog.write(job),
    async execute(statement, parameters) {
      const rows = await database.requestLog.execute(statement, parameters);
      examined += rows.length;
      return rows;
    },
  };
  const first = await findRequests(counting, accountId, { keyId: 'key_2' }, { after: undefined, limit: 10 });
  assert.deepEqual(first.entries, []);
  assert.ok(first.next !== undefined && examined < 600, `${examined} blocks`);
  const pages = await findAll(database.requestLog, accountId, { keyId: 'key_2' }, 10);
  assert.deepEqual([pages.length, pages.flat().length], [3, 1]);

  examined = 0;
  const failed = await findRequests(counting, accountId, { statuses: ['5xx'] }, { after: undefined, limit: 10 });
  assert.deepEqual([failed.entries.length, failed.next, examined], [1, undefined, 1], 'found by index');
});

test('old requests are removed, and the oldest ones until the log is small enough', async (t) => {
  const { database, log, record, ids } = await logFor(t);
  const now = Date.now();
  record({ at: now - 8 * DAY_MS, requestId: 'expired' });
  for (let count = 0; count < 100; count += 1)
    record({ at: now - (100 - count) * 1_000, requestId: `${count}`, errorBody: 'x'.repeat(4_000) });
  await log.flush();
  await purgeRequestLog(database, RETENTION, Date.now(), SIGNAL);
  const all = await ids();
  assert.deepEqual([all.length, all.at(-1)], [100, '0']);
  await purgeRequestLog(database, { days: 7, bytes: 100_000 }, Date.now(), SIGNAL);
  const left = await ids();
  const [{ bytes } = { bytes: null }] = await sumRequestBytes(database.requestLog);
  assert.ok(Number(bytes) <= 100_000, `${bytes} bytes`);
  assert.deepEqual(left, all.slice(0, left.length));
  await purgeRequestLog(database, undefined, Date.now(), SIGNAL);
  assert.deepEqual(await ids(), [], 'the log is off');
});

test('while the clock is at 1970, no request is removed', async (t) => {
  const { database, log, record, ids } = await logFor(t);
  record({ requestId: 'kept' });
  await log.flush();
  await purgeRequestLog(database, RETENTION, 0, SIGNAL);
  assert.deepEqual(await ids(), ['kept']);
});

test('requests of an account that end after its deletion are removed', async (t) => {
  const { database, accountId, log, record, ids } = await logFor(t);
  const { id: gone } = await createAccount(database, 'Gone Homes');
  await deleteAccount(database, gone);
  record({ requestId: 'theirs' }, gone);
  record({ requestId: 'ours' });
  await log.flush();
  assert.deepEqual(await ids(gone), ['theirs']);
  await purgeRequestsOfDeletedAccounts(database, SIGNAL);
  assert.deepEqual([await ids(gone), await ids(accountId)], [[], ['ours']]);
});

test('if too many requests wait, the next ones are lost and counted', async (t) => {
  const { log, record, losses, ids } = await logFor(t);
  const errorBody = 'x'.repeat(4_000);
  const count = 5_000;
  for (let index = 0; index < count; index += 1) record({ errorBody });
  await log.flush();
  const [lost = 0] = losses;
  assert.ok(lost > 0 && lost < count);
  assert.equal((await ids()).length, count - lost);
  record({ requestId: 'next' });
  await log.flush();
  assert.deepEqual([losses.length, (await ids())[0]], [1, 'next']);
});

test('strings are stored as they are, whatever they contain', async (t) => {
  const { log, record, find } = await logFor(t);
  const path = '/v1/"\\\n\u2028é😀';
  record({ path, query: '"', errorBody: '{"a":"\\""}' });
  await log.flush();
  const [entry] = await find();
  assert.deepEqual([entry?.path, entry?.query, entry?.errorBody], [path, '"', '{"a":"\\""}']);
});

test('a log that is off records nothing', async (t) => {
  const { database, accountId, ids } = await logFor(t);
  const off = new RequestLog(database.requestLog, undefined, () => {});
  off.record(accountId, request({}));
  await off.flush();
  assert.deepEqual(await ids(), []);
});
