import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { type Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { totp } from '../../../testkit/src/totp.ts';
import { until } from '../../../testkit/src/until.ts';
import { removeExpired } from '../../src/storage/expired.ts';

const WINDOW_SECONDS = 3_600;
const service = await startSharedService({ rateLimit: { points: 1_000, seconds: WINDOW_SECONDS } });

const DAY_MS = 24 * 60 * 60 * 1000;
const LISTING = { address: '12 Elm Street', beds: 3, baths: 2 };

/** Returns a function that sets the clock to some days after the start of the test. */
function clockFor(t: TestContext) {
  const startMs = Date.now();
  defer(t, () => mock.timers.reset());
  return (days: number) => {
    mock.timers.reset();
    mock.timers.enable({ apis: ['Date'], now: startMs + days * DAY_MS });
  };
}

async function sendListing(method: string, path: string, body: object, headers: Record<string, string> = {}) {
  const tenant = await known;
  const init = { method, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
  const response = await service.fetch(tenant, `/v1/listings${path}`, init);
  const listing = JSON.parse(await response.text());
  assert.ok(response.ok, JSON.stringify(listing));
  return { listing, isReplayed: response.headers.get('idempotent-replayed') === 'true' };
}

const known = service.createTenant();

test('a retry is recognized even after the clock was set to another day', async (t) => {
  const setDays = clockFor(t);
  const create = () => sendListing('POST', '', LISTING, { 'Idempotency-Key': 'across-days' });
  const { listing } = await create();
  for (const days of [400, 0, -400, 0]) {
    setDays(days);
    const again = await create();
    assert.deepEqual([again.isReplayed, again.listing.id], [true, listing.id], `${days} days`);
  }
});

test('updatedAt is never before createdAt, even if the clock is set back', async (t) => {
  const setDays = clockFor(t);
  const { listing } = await sendListing('POST', '', LISTING);
  setDays(-1);
  const { listing: changed } = await sendListing('PATCH', `/${listing.id}`, { beds: 4 });
  assert.deepEqual([changed.version, changed.updatedAt], [2, listing.createdAt]);
  setDays(1);
  const { listing: later } = await sendListing('PATCH', `/${listing.id}`, { beds: 5 });
  assert.ok(later.updatedAt > listing.createdAt);
});

test('no rate limit lasts longer than its window, even if the clock is set back', async (t) => {
  const setDays = clockFor(t);
  const tenant = await service.createTenant();
  for (const days of [400, -400, 0]) {
    setDays(days);
    const { headers } = await service.fetch(tenant, '/v1/me');
    const seconds = Number(/;t=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    assert.ok(seconds >= 1 && seconds <= WINDOW_SECONDS, `${seconds} s`);
  }
});

test('an authenticator code used while the clock was ahead does not lock out its user', async (t) => {
  const setDays = clockFor(t);
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const { totpURI } = await browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD });
  const give = (to: Browser, code: string) => to.send('POST', '/admin/auth/two-factor/verify-totp', { code });
  setDays(400);
  const ahead = await signIn(service, person);
  assert.equal((await give(ahead, totp(totpURI))).status, 200);
  setDays(0);
  const back = await signIn(service, person);
  const code = totp(totpURI);
  assert.equal((await give(back, code)).status, 200);
  const again = await signIn(service, person);
  assert.equal((await give(again, code)).status, 422, 'the code works only once');
});

test('a session started while the clock was ahead expires like any other', async (t) => {
  const setDays = clockFor(t);
  const person = await createPerson(service);
  setDays(400);
  const browser = await signIn(service, person);
  setDays(0);
  assert.ok(await browser.ask('GET', '/admin/session'));
  await service.database.write((session) => removeExpired(session, Date.now()));
  assert.ok(await browser.ask('GET', '/admin/session'));
  setDays(8);
  assert.equal(await browser.ask('GET', '/admin/session'), null);
});

test("a key's last use follows the clock when it is set back", async (t) => {
  const setDays = clockFor(t);
  const { keyId, ...tenant } = await service.createTenant();
  const usedAt = async () => {
    const [row] = await service.sql('select last_used_at from api_keys where id = ?', keyId);
    return Number(row?.last_used_at);
  };
  for (const days of [400, 0]) {
    setDays(days);
    await (await service.fetch({ keyId, ...tenant }, '/v1/me')).text();
    await until(`used, ${days} days`, async () => (await usedAt()) === Date.now());
  }
});
