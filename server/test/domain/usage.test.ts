import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from '../../../testkit/src/replies.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { EVENTS_KEPT_DAYS, purgeEvents } from '../../src/domain/events/event-purge.ts';
import { issueApiKey } from '../../src/domain/keys/api-keys.ts';
import { RequestLog } from '../../src/domain/requests/request-log.ts';
import { purgeRequestLog } from '../../src/domain/requests/request-purge.ts';
import { findUsage } from '../../src/domain/requests/usage.ts';
import { dayOf } from '../../src/lib/times.ts';
import { listAccounts } from '../../src/storage/accounts.ts';
import { create, databaseFor } from '../storage/support.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY_MS = 86_400_000;

interface Case {
  name: string;
  createdDaysAgo: number;
  /** How many days ago other accounts sent requests. */
  loggedDaysAgo: number[];
  keptDays?: number;
  /** The account's requests on each of the last five days, oldest first. */
  expected: string[];
}

const CASES: Case[] = [
  {
    name: 'the log has been turned on or deleted',
    createdDaysAgo: 3,
    loggedDaysAgo: [1],
    expected: ['0', 'null', 'null', 'null', '0'],
  },
  { name: 'the log is empty', createdDaysAgo: 3, loggedDaysAgo: [], expected: ['0', 'null', 'null', 'null', 'null'] },
  {
    name: 'the account is as new as the log',
    createdDaysAgo: 1,
    loggedDaysAgo: [1, 0],
    expected: ['0', '0', '0', '0', '0'],
  },
  {
    name: 'the account is newer than the log',
    createdDaysAgo: 1,
    loggedDaysAgo: [3],
    expected: ['0', '0', '0', '0', '0'],
  },
  {
    name: 'the account is new and the log is empty',
    createdDaysAgo: 0,
    loggedDaysAgo: [],
    expected: ['0', '0', '0', '0', 'null'],
  },
  {
    name: 'the log began after the account was created, on the same day',
    createdDaysAgo: 1.1,
    loggedDaysAgo: [1],
    expected: ['0', '0', '0', 'null', '0'],
  },
  {
    name: 'the log is kept for two days',
    createdDaysAgo: 9,
    loggedDaysAgo: [9],
    keptDays: 2,
    expected: ['null', 'null', 'null', '0', '0'],
  },
];

for (const { name, createdDaysAgo, loggedDaysAgo, keptDays = 7, expected } of CASES) {
  test(`usage has the requests of exactly the days that the log covers: ${name}`, async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON });
    const { database, accountId, sql } = await databaseFor(t);
    const { id: other } = await createAccount(database, 'Other Homes');
    await sql('update accounts set created_at = ? where id = ?', NOON - createdDaysAgo * DAY_MS, accountId);
    const log = new RequestLog(database.requestLog, { days: 7, bytes: 1_000_000_000 }, () => assert.fail());
    for (const days of loggedDaysAgo) {
      log.record(other, {
        ...{ at: NOON - days * DAY_MS, keyId: 'key_1', method: 'GET', path: '/v1/me', query: '', status: 200 },
        ...{ code: null, durationMs: 1, requestId: 'r', sequence: null, errorBody: null },
      });
    }
    await log.flush();
    const today = dayOf(NOON);
    const range = { from: today - 4, to: today, requestsFrom: today - keptDays + 1 };
    const accounts = (await listAccounts(database)).filter(({ id }) => id === accountId);
    assert.deepEqual(linesOf(await findUsage(database, accounts, range), 'requests'), expected);
  });
}

test('usage counts all changes of its first day, however late on the last day', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-10-22T00:00:00Z') });
  const { database, accountId } = await databaseFor(t);
  await create(database, accountId);
  t.mock.timers.setTime(Date.parse('2026-11-21T23:59:59.999Z'));
  await purgeEvents(database, Date.now(), new AbortController().signal);
  const today = dayOf(Date.now());
  const range = { from: today - EVENTS_KEPT_DAYS, to: today, requestsFrom: undefined };
  const [first] = await findUsage(database, await listAccounts(database), range);
  assert.deepEqual([first?.day, first?.created, first?.listings], ['2026-10-22', 1, 1]);
});

test('on a new service, usage has the requests of the first day, even those of accounts that are older than the log', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: NOON });
  const { database, accountId, sql } = await databaseFor(t);
  const retention = { days: 7, bytes: 1_000_000_000 };
  const requestsToday = async () => {
    const range = { from: dayOf(NOON), to: dayOf(NOON), requestsFrom: 0 };
    return linesOf(await findUsage(database, await listAccounts(database), range), 'requests');
  };
  const open = () => new RequestLog(database.requestLog, retention, () => assert.fail()).open(database);
  t.mock.timers.setTime(NOON + 60_000);
  await open();
  assert.deepEqual(await requestsToday(), ['0']);

  // After the log was removed, requests of keys that have been used may be missing.
  await purgeRequestLog(database, undefined, NOON, new AbortController().signal);
  const { key } = await issueApiKey(database, {
    accountId,
    name: 'A',
    access: 'full',
    expiresAt: null,
    createdBy: null,
  });
  await sql('update api_keys set last_used_at = ? where id = ?', NOON, key.id);
  await open();
  assert.deepEqual(await requestsToday(), ['null']);
});
