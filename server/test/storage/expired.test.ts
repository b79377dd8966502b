import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import { pino } from 'pino';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { startTestService } from '../../../testkit/src/service.ts';
import { scheduleHousekeeping } from '../../src/maintenance/housekeeping.ts';
import type { Database } from '../../src/storage/database.ts';
import { removeExpired } from '../../src/storage/expired.ts';
import { words } from './support.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const DAY_MS = 24 * 60 * 60 * 1000;

function count(table: string): Promise<{ count: number }[]> {
  return service.database.execute(words<{ count: number }>(`select count(*) as count from ${table}`), {});
}

test('sessions, invitations, and pending second factors are removed once expired, and not before', async () => {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  await browser.ask('POST', '/admin/invitations', { email: 'grace@example.com', role: 'member' }, 201);
  for (const [days, sessions, invitations] of [
    [0, 1, 1],
    [6, 1, 1],
    [8, 0, 0],
  ] as const) {
    await service.database.write((session) => removeExpired(session, Date.now() + days * DAY_MS));
    assert.deepEqual(await count('sessions'), [{ count: sessions }], `${days} days`);
    assert.deepEqual(await count('invitations'), [{ count: invitations }], `${days} days`);
  }
});

test('a session expires after seven days without use, and each day of use extends it', async () => {
  const { email } = await createPerson(service);
  const browser = new Browser(service);
  await browser.ask('POST', '/admin/auth/sign-in/email', { email, password: PASSWORD });
  const start = Date.now();
  const isSignedInAfter = async (days: number) => {
    mock.timers.enable({ apis: ['Date'], now: start + days * DAY_MS });
    return browser.ask('GET', '/admin/session').finally(() => mock.timers.reset());
  };
  assert.ok(await isSignedInAfter(6));
  assert.ok(await isSignedInAfter(12));
  assert.equal(await isSignedInAfter(19.1), null);
});

test('a session is kept even if the clock jumps while a purge waits for its transaction', async (t) => {
  const browser = await signIn(service, await createPerson(service));
  const jumped = Promise.withResolvers<void>();
  const slow: Database = {
    ...service.database,
    async write(job, accountId) {
      await jumped.promise;
      return service.database.write(job, accountId);
    },
  };
  defer(t, () => mock.reset());
  mock.timers.enable({ apis: ['setInterval'] });
  const stops = scheduleHousekeeping(slow, pino({ level: 'silent' }), undefined);
  mock.timers.tick(60 * 60 * 1000);
  const now = Date.now();
  mock.method(Date, 'now', () => now - 400 * DAY_MS);
  jumped.resolve();
  await Promise.all(stops.map((stop) => stop()));
  mock.reset();
  assert.ok(await browser.ask('GET', '/admin/session'));
});
