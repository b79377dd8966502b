import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';
import { PasswordAttempts } from '../../src/http/identity/attempts.ts';
import { createMemoryLimiter } from '../../src/lib/limiter.ts';
import { AppError } from '../../src/model/errors.ts';
import { startBehindProxy } from '../support/behind-proxy.ts';

const HOME = '198.51.100.7';

function attemptFrom(service: TestService, address: string, email: string, password: string): Promise<Response> {
  const given = { email, password };
  return new Browser(service).send('POST', '/admin/auth/sign-in/email', given, { 'X-Forwarded-For': address });
}

/** The status of a sign-in from this address. */
async function statusFrom(service: TestService, address: string, email: string, password = PASSWORD): Promise<number> {
  const response = await attemptFrom(service, address, email, password);
  await response.text();
  return response.status;
}

async function guess(service: TestService, email: string, addresses: string[], times = 10): Promise<void> {
  for (const address of addresses) {
    for (let count = 0; count < times; count += 1) {
      assert.equal(await statusFrom(service, address, email, 'wrong password'), 401);
    }
  }
}

const botnet = Array.from({ length: 10 }, (_, index) => `203.0.113.${index}`);

describe('password attempts', () => {
  test('are limited per email and IP address: only there, even the right password is rejected', async () => {
    await using service = await startBehindProxy();
    const { email } = await createPerson(service);
    await guess(service, email, ['203.0.113.1']);
    const rejected = await attemptFrom(service, '203.0.113.1', email.toUpperCase(), PASSWORD);
    assert.ok(Number(rejected.headers.get('retry-after')) > 0);
    await readError(rejected, 429, 'rate_limited');
    assert.equal(await statusFrom(service, '203.0.113.1', (await createPerson(service)).email), 200);
    assert.equal(await statusFrom(service, HOME, email), 200);
  });

  test("above the limit do not use up a colleague's attempts", async () => {
    await using service = await startBehindProxy();
    const [hasty, colleague] = [await createPerson(service), await createPerson(service)];
    await guess(service, hasty.email, [HOME]);
    for (let count = 0; count < 45; count += 1) assert.equal(await statusFrom(service, HOME, hasty.email), 429);
    assert.equal(await statusFrom(service, HOME, colleague.email), 200);
  });

  test('of hundreds of users do not block other users', async () => {
    const attempts = new PasswordAttempts('the same in each run', createMemoryLimiter);
    const begin = (index: number) => {
      const from = { email: `p${index}@example.com`, address: `10.0.${index >> 8}.${index & 255}` };
      return attempts.begin({ ...from, isSignedIn: false }, async () => false);
    };
    for (let index = 0; index < 600; index += 1) {
      for (let count = 0; count < 10; count += 1) await begin(index);
      await assert.rejects(begin(index), AppError);
    }
    for (let index = 600; index < 1_600; index += 1) await begin(index);
  });

  test('do not block new users: setup and invitations sign in without an attempt', async () => {
    await using service = await startTestService();
    const attempt = (email: string) =>
      new Browser(service).send('POST', '/admin/auth/sign-in/email', { email, password: 'wrong password' });
    for (let count = 0; count < 50; count += 1) await (await attempt(`x${count}@example.com`)).text();
    assert.equal((await attempt('ada@example.com')).status, 429);
    const ada = new Browser(service);
    const token = service.setupUrl?.split('#token=')[1];
    const person = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };
    const session = await ada.ask('POST', '/admin/setup', { token, ...person, accountName: 'One' }, 201);
    assert.deepEqual(await ada.ask('GET', '/admin/session'), session);
    const { url } = await ada.ask('POST', '/admin/invitations', { email: 'grace@example.com', role: 'member' }, 201);
    const grace = new Browser(service);
    const given = { token: url.split('#token=')[1], name: 'Grace', password: PASSWORD };
    const joined = await grace.ask('POST', '/admin/invitations/accept', given);
    assert.equal(joined.account.id, session.account.id);
    assert.deepEqual(await grace.ask('GET', '/admin/session'), joined);
  });

  test('are not given back by accepting an invitation', async () => {
    await using service = await startTestService();
    const ada = await signIn(service, await createPerson(service));
    const { url } = await ada.ask('POST', '/admin/invitations', { email: 'grace@example.com', role: 'member' }, 201);
    const given = { token: url.split('#token=')[1], name: 'Grace', password: PASSWORD };
    await new Browser(service).ask('POST', '/admin/invitations/accept', given);
    for (let count = 0; count < 5; count += 1) {
      await guess(service, (await createPerson(service)).email, ['127.0.0.1']);
    }
    assert.equal(await statusFrom(service, '127.0.0.1', (await createPerson(service)).email), 429);
  });

  test('are limited per email from all addresses, except where the user signed in before', async () => {
    await using service = await startBehindProxy();
    const { email } = await createPerson(service);
    const sixes = ['2001:db8:0:7::1', '2001:db8:0:7:abc::9'];
    for (const address of [HOME, ...sixes.slice(0, 1)]) assert.equal(await statusFrom(service, address, email), 200);
    await guess(service, email, botnet);
    const rejected = await attemptFrom(service, '192.0.2.1', email, PASSWORD);
    assert.ok(Number(rejected.headers.get('retry-after')) > 15 * 60);
    await readError(rejected, 429, 'rate_limited');
    for (const address of [HOME, ...sixes]) assert.equal(await statusFrom(service, address, email), 200, address);
    assert.equal(await statusFrom(service, HOME, email, 'wrong password'), 401);
  });

  test('are still counted after the user signs in', async () => {
    await using service = await startBehindProxy();
    const { email } = await createPerson(service);
    await guess(service, email, botnet.slice(1));
    assert.equal(await statusFrom(service, HOME, email), 200);
    await guess(service, email, botnet.slice(0, 1));
    assert.equal(await statusFrom(service, '192.0.2.1', email), 429);
  });

  test('of a signed-in user are counted separately from attempts to sign in', async () => {
    await using service = await startBehindProxy();
    const person = await createPerson(service);
    const browser = await signIn(service, person);
    await guess(service, person.email, botnet);
    const change = async (address: string, currentPassword: string) => {
      const given = { currentPassword, newPassword: PASSWORD };
      const headers = { 'X-Forwarded-For': address };
      const response = await browser.send('POST', '/admin/auth/change-password', given, headers);
      await response.text();
      return response.status;
    };
    assert.equal(await change('203.0.113.1', PASSWORD), 200);
    for (let count = 0; count < 10; count += 1) assert.equal(await change(`192.0.2.${count}`, 'wrong password'), 422);
    assert.equal(await change(HOME, PASSWORD), 429);
  });

  test('are not counted if the database fails', async (t) => {
    await using service = await startTestService();
    const { email } = await createPerson(service);
    // Makes the service load its identity code, which uses the database.
    await guess(service, 'nobody@example.com', ['127.0.0.1'], 1);
    const fail = () => Promise.reject(new AppError('unavailable', 'The database is not available.'));
    const broken = t.mock.method(service.database, 'execute', fail);
    for (let count = 0; count < 60; count += 1) assert.equal(await statusFrom(service, '127.0.0.1', email), 503);
    broken.mock.restore();
    assert.equal(await statusFrom(service, '127.0.0.1', email), 200);
  });

  test('are limited per IP address', async () => {
    await using other = await startTestService();
    const attempt = (email: string) => statusFrom(other, '', email, 'wrong password');
    // One attempt in ten is for an unknown user.
    for (let count = 0; count < 5; count += 1) {
      const { email } = await createPerson(other);
      for (let times = 0; times < 9; times += 1) assert.equal(await attempt(email), 401);
      assert.equal(await attempt(`nobody${count}@example.com`), 401);
    }
    assert.equal(await attempt('nobody@example.com'), 429);
    assert.equal(await attempt((await createPerson(other)).email), 429);
  });

  test('are rejected unread above the limit of an IP address', async () => {
    await using service = await startTestService();
    for (let count = 0; count < 50; count += 1) {
      assert.equal(await statusFrom(service, '', `x${count}@example.com`, 'wrong password'), 401);
    }
    for (const body of ['not JSON', ' '.repeat(1024 * 1024)]) {
      const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } };
      const rejected = await new Browser(service).fetch('/admin/auth/sign-in/email', init);
      assert.ok(Number(rejected.headers.get('retry-after')) > 0);
      await readError(rejected, 429, 'rate_limited');
    }
  });

  test('with the right password are not counted', async () => {
    await using service = await startTestService();
    const person = await createPerson(service);
    for (let count = 0; count < 12; count += 1) await signIn(service, person);
  });

  test('run one after another, and too many at once get 429', async () => {
    await using other = await startTestService();
    const emails = Array.from({ length: 40 }, (_, index) => `a${index}@example.com`);
    const responses = await Promise.all(emails.map((email) => attemptFrom(other, '', email, PASSWORD)));
    const statuses = responses.map(({ status }) => status);
    assert.ok(statuses.includes(401) && statuses.includes(429), String(statuses));
    for (const response of responses.filter(({ status }) => status === 429)) {
      assert.equal(response.headers.get('retry-after'), '1');
    }
  });
});
