import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { sendRaw } from '../../../testkit/src/raw.ts';
import { linesOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService } from '../../../testkit/src/service.ts';
import { OPERATOR } from '../../src/domain/access/audit.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { createAdministrator } from '../../src/domain/accounts/administrators.ts';
import { requireSameOrigin } from '../../src/http/protocol/same-origin.ts';
import { insertMembership } from '../../src/storage/memberships.ts';

const service = await startSharedService();

describe('signing in', () => {
  test('returns the session, and so does GET /admin/session', async () => {
    const person = await createPerson(service);
    const browser = new Browser(service);
    assert.equal(await browser.ask('GET', '/admin/session'), null);
    const session = await browser.ask('POST', '/admin/auth/sign-in/email', { email: person.email, password: PASSWORD });
    const account = { id: person.accountId, name: 'Hill Country Homes', role: 'administrator' };
    assert.deepEqual(session, {
      user: { id: person.userId, name: 'Ada Lovelace', email: person.email, hasTwoFactor: false },
      account: { ...account, currency: 'USD', areaUnits: 'sqft' },
      accounts: [account],
    });
    assert.deepEqual(await browser.ask('GET', '/admin/session'), session);
  });

  test('ignores case and surrounding spaces of the address', async () => {
    const { email } = await createPerson(service);
    const browser = new Browser(service);
    const given = { email: ` ${email.toUpperCase()} `, password: PASSWORD };
    assert.equal((await browser.ask('POST', '/admin/auth/sign-in/email', given)).user.email, email);
  });

  test('fails with the same message for a wrong password and an unknown user, without a cookie', async () => {
    const { email } = await createPerson(service);
    const bodies = [];
    for (const given of [
      { email, password: 'wrong password' },
      { email: 'nobody@example.com', password: PASSWORD },
      { email: 'no address', password: PASSWORD },
    ]) {
      const browser = new Browser(service);
      const response = await browser.send('POST', '/admin/auth/sign-in/email', given);
      assert.deepEqual(response.headers.getSetCookie(), []);
      assert.equal(response.headers.get('www-authenticate'), null);
      bodies.push((await readError(response, 401, 'unauthorized')).message);
    }
    assert.deepEqual(new Set(bodies), new Set(['The email address or password is incorrect.']));
  });

  test('and signing out are in the audit log, and signing out ends the session', async () => {
    const person = await createPerson(service);
    const browser = await signIn(service, person);
    const stolen = new Map(browser.cookies);
    await browser.ask('POST', '/admin/auth/sign-out', undefined, 204);
    assert.equal(browser.cookies.size, 0);
    const thief = new Browser(service);
    for (const [name, value] of stolen) thief.cookies.set(name, value);
    assert.equal(await thief.ask('GET', '/admin/session'), null);
    const log = await service.sql('select * from audit_log where account_id = ? order by id', person.accountId);
    assert.deepEqual(linesOf(log, 'action', 'actor_id', 'actor_name', 'address'), [
      'account.created null Operator null',
      'member.joined null Operator null',
      `administrator.signed_in ${person.userId} Ada Lovelace 127.0.0.1`,
      `administrator.signed_out ${person.userId} Ada Lovelace 127.0.0.1`,
    ]);
  });

  test('ends the session of the user signed in before', async () => {
    const [ada, grace] = [await createPerson(service), await createPerson(service, { name: 'Grace Hopper' })];
    const browser = await signIn(service, ada);
    const kept = new Browser(service);
    for (const [name, value] of browser.cookies) kept.cookies.set(name, value);
    await browser.ask('POST', '/admin/auth/sign-in/email', { email: ada.email, password: 'wrong password' }, 401);
    assert.equal((await kept.ask('GET', '/admin/session')).user.id, ada.userId);
    await browser.ask('POST', '/admin/auth/sign-in/email', { email: grace.email, password: PASSWORD });
    assert.equal((await browser.ask('GET', '/admin/session')).user.id, grace.userId);
    assert.equal(await kept.ask('GET', '/admin/session'), null);
    const { data } = await (await signIn(service, ada)).ask('GET', '/admin/activity?limit=2');
    assert.equal(data[1].action, 'administrator.signed_out');
  });

  test('accepts the longest password in any Unicode form', async () => {
    const browser = await signIn(service, await createPerson(service));
    const { user } = await browser.ask('GET', '/admin/session');
    const decomposed = 'e\u0301'.repeat(100);
    const change = { currentPassword: PASSWORD, newPassword: decomposed };
    await browser.ask('POST', '/admin/auth/change-password', change);
    const given = { email: user.email, password: decomposed };
    await new Browser(service).ask('POST', '/admin/auth/sign-in/email', given);
    const long = { email: user.email, password: 'é'.repeat(129) };
    const response = await new Browser(service).send('POST', '/admin/auth/sign-in/email', long);
    assert.equal((await readError(response, 422, 'validation_failed')).details?.[0]?.code, 'too_long');
  });

  test('names every invalid field', async () => {
    const browser = new Browser(service);
    const response = await browser.send('POST', '/admin/auth/sign-in/email', { mail: 'a', password: 1 });
    const { details } = await readError(response, 422, 'validation_failed');
    const faults = ['email required', 'password invalid_type', 'mail unknown_field'];
    assert.deepEqual(linesOf(details, 'field', 'code'), faults);
    const empty = await browser.send('POST', '/admin/auth/sign-in/email', { email: ' ', password: '' });
    const { details: blanks } = await readError(empty, 422, 'validation_failed');
    assert.deepEqual(linesOf(blanks, 'field', 'code'), ['email blank', 'password blank']);
  });
});

describe('the session cookie', () => {
  const setCookie = async (publicUrl?: string) => {
    await using other = await startTestService({ publicUrl });
    const { email } = await createPerson(other);
    const browser = new Browser(other);
    const given = { email, password: PASSWORD };
    const origin = { Origin: publicUrl ?? other.url };
    const response = await browser.send('POST', '/admin/auth/sign-in/email', given, origin);
    assert.equal(response.status, 200);
    const [cookie = '', ...others] = response.headers.getSetCookie();
    assert.deepEqual(others, []);
    return cookie.split('; ').map((part) => part.replace(/=.*/, ''));
  };

  test('is bound to the host and to HTTPS if PUBLIC_URL is https', async () => {
    const [name = '', ...attributes] = await setCookie('https://listings.example.com');
    assert.ok(name.startsWith('__Host-'), name);
    assert.deepEqual(new Set(attributes), new Set(['Max-Age', 'Path', 'HttpOnly', 'Secure', 'SameSite']));
  });

  test('works without HTTPS if PUBLIC_URL is not https, but is hidden from scripts and other sites', async () => {
    const [name = '', ...attributes] = await setCookie();
    assert.ok(!name.startsWith('__'), name);
    assert.deepEqual(new Set(attributes), new Set(['Max-Age', 'Path', 'HttpOnly', 'SameSite']));
  });

  test('is invalid after any change', async () => {
    const browser = await signIn(service, await createPerson(service));
    const [[name = '', value = ''] = []] = browser.cookies;
    for (const changed of [`x${value}`, value.slice(0, -4), value.split('.')[0] ?? '', '']) {
      browser.cookies.set(name, changed);
      assert.equal(await browser.ask('GET', '/admin/session'), null);
    }
  });
});

describe('a change below /admin', () => {
  const attempt = async (headers: Record<string, string>, publicUrl?: string) => {
    await using other = await startTestService({ publicUrl });
    const init = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json', ...headers } };
    const response = await fetch(`${other.url}/admin/auth/sign-in/email`, init);
    await response.text();
    return response.status;
  };

  for (const [name, headers] of [
    ['without an origin', {}],
    ['from another site', { Origin: 'https://evil.example' }],
    ['from an opaque origin', { Origin: 'null' }],
    ['with Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['with Sec-Fetch-Site: same-site', { 'Sec-Fetch-Site': 'same-site' }],
    ['with Sec-Fetch-Site: none', { 'Sec-Fetch-Site': 'none' }],
  ] as [string, Record<string, string>][]) {
    test(`${name} is rejected`, async () => {
      assert.equal(await attempt(headers), 403);
    });
  }

  test('from the service itself is accepted', async () => {
    assert.equal(await attempt({ 'Sec-Fetch-Site': 'same-origin' }), 422);
    assert.equal(await attempt({ Origin: service.url }), 403, 'another port is another origin');
  });
});

/** The status of a change with this Origin and Host. */
async function statusOf(url: string, host: string, origin: string): Promise<number> {
  const head = `POST /admin/auth/sign-in/email HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\n`;
  const body = 'Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
  return (await sendRaw(url, head + body)).status;
}

test('without PUBLIC_URL, changes are accepted from IP addresses and localhost, for the same origin', async () => {
  for (const [host, origin, status] of [
    ['localhost:3000', 'http://localhost:3000', 422],
    ['192.168.1.20:3000', 'http://192.168.1.20:3000', 422],
    ['[fd00::1]:3000', 'http://[fd00::1]:3000', 422],
    ['127.5.0.1:3000', 'http://127.5.0.1:3000', 422],
    ['LocalHost', 'http://localhost', 422],
    ['Listings.LAN', 'http://listings.lan', 403],
    ['localhost.evil.example', 'http://localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 'http://127.0.0.1.evil.example', 403],
    ['192.168.1.20:3000', 'http://192.168.1.21:3000', 403],
    ['listings.lan', 'https://listings.lan', 403],
    ['listings.lan', 'http://listings.lan.evil.example', 403],
  ] as const) {
    assert.equal(await statusOf(service.url, host, origin), status, `${origin} at ${host}`);
  }
});

test('without PUBLIC_URL, a change at another host name is rejected with advice to set PUBLIC_URL', () => {
  const listeningAt = (host: string) => ({ publicUrl: undefined, host });
  const change = (host: string) => ({ method: 'POST', headers: { host, 'sec-fetch-site': 'same-origin' } });
  for (const name of ['evil.example', 'listings.lan:3000', '']) {
    assert.throws(() => requireSameOrigin(change(name), listeningAt('127.0.0.1')), /set PUBLIC_URL/, name);
  }
  requireSameOrigin(change('listings.lan:3000'), listeningAt('Listings.LAN'));
  requireSameOrigin(change('[::1]:3000'), listeningAt('0.0.0.0'));
  requireSameOrigin(change('upstream'), { publicUrl: 'https://listings.example.com', host: '0.0.0.0' });
});

for (const [publicUrl, expected] of [
  ['http://a.example', { 'http://a.example': 422, 'https://a.example': 403, 'http://127.0.0.1:3000': 422 }],
  ['https://a.example', { 'https://a.example': 422, 'http://a.example': 403, 'http://127.0.0.1:3000': 403 }],
] as const) {
  test(`with PUBLIC_URL ${publicUrl}, changes are accepted from that origin, and from IP addresses only without HTTPS`, async () => {
    await using other = await startTestService({ publicUrl });
    for (const [origin, status] of Object.entries(expected)) {
      const { host } = new URL(origin);
      assert.equal(await statusOf(other.url, host, origin), status, `${origin} at ${host}`);
      assert.equal(await statusOf(other.url, 'evil.example', origin), origin === publicUrl ? 422 : 403);
    }
  });
}

test('a user with two accounts can choose one, but no others', async () => {
  const person = await createPerson(service);
  const { id } = await createAccount(service.database, 'Zweites Konto');
  await service.database.write((session) =>
    insertMembership(session, { accountId: id, userId: person.userId, role: 'member', createdAt: Date.now() }),
  );
  const browser = await signIn(service, person);
  const { accounts } = await browser.ask('PUT', '/admin/session/account', { accountId: id });
  assert.equal(accounts.length, 2);
  const { account } = await browser.ask('GET', '/admin/session');
  assert.deepEqual([account.id, account.role], [id, 'member']);
  const other = await createPerson(service);
  await browser.ask('PUT', '/admin/session/account', { accountId: other.accountId }, 404);
  assert.equal((await browser.ask('GET', '/admin/session')).account.id, id);
});

test('the log has no passwords or cookies, and the database only a slow password hash', async () => {
  const { accountId } = await createPerson(service);
  const given = { name: 'Grace Hopper', email: 'grace@example.com', password: PASSWORD };
  const { id: userId } = await createAdministrator(service.database, accountId, given, 'member', OPERATOR);
  const browser = await signIn(service, { userId, accountId, ...given });
  const [[, cookie = ''] = []] = browser.cookies;
  const lines = service.logLines.join('');
  assert.ok(!lines.includes(PASSWORD) && !lines.includes(cookie.split('.')[0] ?? '-'));
  const [{ password } = {}] = await service.sql('select password from credentials where user_id = ?', userId);
  assert.match(String(password), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('the audit log cannot be changed and is deleted only with its account', async () => {
  const { accountId } = await createPerson(service);
  const change = (sql: string) => service.sql(sql, accountId);
  await assert.rejects(change("update audit_log set actor_name = '' where account_id = ?"), /stays/);
  await assert.rejects(change('delete from audit_log where account_id = ?'), /stays/);
  await change('delete from accounts where id = ?');
  assert.deepEqual(await service.sql('select * from audit_log where account_id = ?', accountId), []);
});

test('administrators see only the members of their own account', async () => {
  const person = await createPerson(service);
  const member = await createPerson(service, { accountId: person.accountId, role: 'member', name: 'Grace Hopper' });
  await createPerson(service);
  const { data } = await (await signIn(service, person)).ask('GET', '/admin/members');
  assert.deepEqual(
    data.map(({ id, name, email, role, isYou }: Record<string, unknown>) => ({ id, name, email, role, isYou })),
    [
      { id: person.userId, name: 'Ada Lovelace', email: person.email, role: 'administrator', isYou: true },
      { id: member.userId, name: 'Grace Hopper', email: member.email, role: 'member', isYou: false },
    ],
  );
});

test('a session that cannot be read gets 503 and is not ended', async (t) => {
  await using other = await startTestService();
  const browser = await signIn(other, await createPerson(other));
  const broken = t.mock.method(other.database, 'execute', () => Promise.reject(new Error('the disk is gone')));
  const response = await browser.send('GET', '/admin/session');
  broken.mock.restore();
  assert.equal(response.headers.get('retry-after'), '1');
  await readError(response, 503, 'unavailable');
  assert.notEqual(await browser.ask('GET', '/admin/session'), null);
});
