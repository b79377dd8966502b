import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Authenticator } from '../../../testkit/src/authenticator.ts';
import { Browser, createPerson, PASSWORD, type Person, signIn } from '../../../testkit/src/browser.ts';
import { linesOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { totp } from '../../../testkit/src/totp.ts';
import { PASSKEYS_MAX } from '../../src/domain/accounts/passkeys.ts';
import { resetPassword } from '../../src/domain/accounts/password-reset.ts';
import { enrol, giveCode, guard, isSignedIn, NEW_PASSWORD, typePassword } from '../support/two-factor.ts';
import { withholdBody } from '../support/withheld-body.ts';

const service = await startSharedService();
const AUTH = '/admin/auth/passkey';
const START = { name: 'MacBook', password: PASSWORD };

interface Holder {
  person: Person;
  browser: Browser;
  authenticator: Authenticator;
  id: string;
}

async function startAdding(browser: Browser, code?: string) {
  return browser.ask('POST', `${AUTH}/begin-registration`, { name: 'MacBook', password: PASSWORD, code });
}

async function addPasskey(browser: Browser, authenticator: Authenticator, name = 'MacBook', code?: string) {
  const response = authenticator.create(await startAdding(browser, code));
  return browser.ask('POST', `${AUTH}/register`, { name, response }, 201);
}

async function createHolder(): Promise<Holder> {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const authenticator = new Authenticator(service.url);
  const { id } = await addPasskey(browser, authenticator);
  return { person, browser, authenticator, id };
}

async function usePasskey(authenticator: Authenticator, browser = new Browser(service)): Promise<Response> {
  const options = await browser.ask('POST', `${AUTH}/begin-sign-in`);
  return browser.send('POST', `${AUTH}/sign-in`, { response: authenticator.get(options) });
}

async function actionsOf({ accountId, userId }: Person): Promise<string[]> {
  const browser = await signIn(service, await createPerson(service, { accountId }));
  const { data } = await browser.ask('GET', '/admin/activity');
  const own = data.filter((entry: { actor: { id: string } }) => entry.actor.id === userId).reverse();
  return linesOf(own, 'action').map((action) => action.replace('administrator.', ''));
}

describe('a passkey', () => {
  test('signs in without a password, and is recorded', async () => {
    const { person, browser, authenticator, id } = await createHolder();
    const other = new Browser(service);
    const options = await other.ask('POST', `${AUTH}/begin-sign-in`);
    assert.deepEqual([options.rpId, options.userVerification], ['localhost', 'required']);
    const body = { response: authenticator.get(options) };
    const session = await other.ask('POST', `${AUTH}/sign-in`, body);
    assert.deepEqual([session.user.id, session.account.id], [person.userId, person.accountId]);
    assert.ok(await isSignedIn(other));
    const [passkey] = await browser.ask('GET', `${AUTH}/list`);
    assert.deepEqual([passkey.id, passkey.name], [id, 'MacBook']);
    assert.ok(passkey.lastUsedAt >= passkey.createdAt);
    assert.deepEqual(await actionsOf(person), ['signed_in', 'passkey_added', 'signed_in']);
  });

  test('replaces the second factor, too', async () => {
    const { browser, usedCode, backupCodes } = await guard(service);
    const authenticator = new Authenticator(service.url);
    const refused = await browser.send('POST', `${AUTH}/begin-registration`, START);
    assert.deepEqual(linesOf((await readError(refused, 422, 'validation_failed')).details, 'field'), ['code']);
    const wrong = await browser.send('POST', `${AUTH}/begin-registration`, { ...START, code: usedCode });
    assert.equal((await readError(wrong, 422, 'validation_failed')).details?.length, 1, 'each code works once');
    await addPasskey(browser, authenticator, 'MacBook', backupCodes[0] ?? '');
    assert.equal((await usePasskey(authenticator)).status, 200);
  });

  test('is rejected if its authenticator does not verify the user', async () => {
    const { authenticator } = await createHolder();
    authenticator.verifiesUser = false;
    await readError(await usePasskey(authenticator), 401, 'unauthorized');
  });

  test('is rejected with another key, for another domain, and from another page', async () => {
    const {
      authenticator: { id },
    } = await createHolder();
    for (const impostor of [
      new Authenticator(service.url, { id }),
      new Authenticator(service.url, { id, domain: 'example.com' }),
      new Authenticator('https://evil.example', { id }),
    ])
      await readError(await usePasskey(impostor), 401, 'unauthorized');
  });

  test('needs a challenge of the same browser, which works once', async () => {
    const { authenticator } = await createHolder();
    const browser = new Browser(service);
    const options = await browser.ask('POST', `${AUTH}/begin-sign-in`);
    const body = { response: authenticator.get(options) };
    await readError(await new Browser(service).send('POST', `${AUTH}/sign-in`, body), 401, 'unauthorized');
    const before = new Map(browser.cookies);
    await browser.ask('POST', `${AUTH}/sign-in`, body);
    const thief = new Browser(service);
    for (const [name, value] of before) thief.cookies.set(name, value);
    await readError(await thief.send('POST', `${AUTH}/sign-in`, body), 401, 'unauthorized');
  });

  test('needs a page of this service', async () => {
    const { authenticator } = await createHolder();
    const browser = new Browser(service);
    const options = await browser.ask('POST', `${AUTH}/begin-sign-in`);
    const headers = { 'Content-Type': 'application/json', Cookie: browser.cookie, 'Sec-Fetch-Site': 'same-origin' };
    const body = JSON.stringify({ response: authenticator.get(options) });
    const response = await fetch(`${service.url}${AUTH}/sign-in`, { method: 'POST', headers, body });
    await readError(response, 403, 'forbidden');
  });

  test('cannot be replaced by the cookie of a sign-in that waits for its code', async () => {
    const { person } = await guard(service);
    const { authenticator } = await createHolder();
    const browser = await typePassword(service, person);
    const [[name = '', value = ''] = []] = [...browser.cookies].filter(([name]) => name.endsWith('.two_factor'));
    browser.cookies.set(name.replace('two_factor', 'passkey'), value);
    const body = { response: authenticator.get({ challenge: 'made-up' }) };
    await readError(await browser.send('POST', `${AUTH}/sign-in`, body), 401, 'unauthorized');
  });

  test('no longer signs in once it is deleted, by its user only', async () => {
    const { person, browser, authenticator, id } = await createHolder();
    const stranger = await signIn(service, await createPerson(service, { accountId: person.accountId }));
    assert.deepEqual(await stranger.ask('GET', `${AUTH}/list`), []);
    await readError(await stranger.send('POST', `${AUTH}/revoke`, { id }), 404, 'not_found');
    await browser.ask('POST', `${AUTH}/revoke`, { id }, 204);
    await readError(await browser.send('POST', `${AUTH}/revoke`, { id }), 404, 'not_found');
    await readError(await usePasskey(authenticator), 401, 'unauthorized');
    assert.deepEqual(await browser.ask('GET', `${AUTH}/list`), []);
  });

  test("is removed when the operator resets the user's password", async () => {
    const { person, authenticator } = await createHolder();
    const given = { email: person.email, password: NEW_PASSWORD, removeTwoFactor: false };
    await resetPassword(service.database, person.accountId, given);
    await readError(await usePasskey(authenticator), 401, 'unauthorized');
  });
});

describe('adding a passkey', () => {
  test('needs a session and the password', async () => {
    const start = `${AUTH}/begin-registration`;
    await readError(await new Browser(service).send('POST', start, START), 401, 'unauthorized');
    const browser = await signIn(service, await createPerson(service));
    const { details } = await readError(
      await browser.send('POST', start, { ...START, password: 'wrong' }),
      422,
      'validation_failed',
    );
    assert.deepEqual(linesOf(details, 'field'), ['password']);
  });

  test('needs a code if the second factor was turned on while the body was being sent', async () => {
    const { person, browser, totpURI } = await enrol(service);
    const thief = await signIn(service, person);
    const send = await withholdBody(service, thief, `${AUTH}/begin-registration`);
    assert.equal((await giveCode(browser, 'totp', totp(totpURI))).status, 200);
    const { details } = await readError(await send(START), 422, 'validation_failed');
    assert.deepEqual(linesOf(details, 'field', 'code'), ['code required']);
    const challenges = await service.sql(`select id from verifications where value like '%${person.userId}%'`);
    assert.deepEqual(challenges, []);
  });

  test('needs a response to its own challenge', async () => {
    const browser = await signIn(service, await createPerson(service));
    const add = (response: unknown) => browser.send('POST', `${AUTH}/register`, { name: 'MacBook', response });
    const authenticator = new Authenticator(service.url);
    await readError(await add(authenticator.create({ challenge: 'made-up' })), 401, 'unauthorized');
    await startAdding(browser);
    const { details } = await readError(
      await add(authenticator.create({ challenge: 'made-up' })),
      422,
      'validation_failed',
    );
    assert.deepEqual(linesOf(details, 'field', 'code'), ['response invalid_format']);
    const options = await browser.ask('POST', `${AUTH}/begin-sign-in`);
    await readError(await add(authenticator.create(options)), 401, 'unauthorized');
    const missing = await readError(await add({}), 422, 'validation_failed');
    assert.ok(linesOf(missing.details, 'field').includes('response.rawId'));
    assert.deepEqual(await browser.ask('GET', `${AUTH}/list`), []);
  });

  test('needs an authenticator that verifies the user', async () => {
    const browser = await signIn(service, await createPerson(service));
    const authenticator = new Authenticator(service.url);
    authenticator.verifiesUser = false;
    const response = authenticator.create(await startAdding(browser));
    const given = { name: 'MacBook', response };
    await readError(await browser.send('POST', `${AUTH}/register`, given), 422, 'validation_failed');
  });

  test('checks the name before the device creates the passkey', async () => {
    const browser = await signIn(service, await createPerson(service));
    const response = await browser.send('POST', `${AUTH}/begin-registration`, { ...START, name: ' ' });
    const { details } = await readError(response, 422, 'validation_failed');
    assert.deepEqual(linesOf(details, 'field'), ['name']);
  });

  test('does not read an attestation, whose certificates could name other hosts', async () => {
    const browser = await signIn(service, await createPerson(service));
    const authenticator = new Authenticator(service.url);
    authenticator.attestation = 'apple';
    await addPasskey(browser, authenticator);
    assert.equal((await usePasskey(authenticator)).status, 200);
  });

  test('needs the id of the passkey, and a challenge of the same user', async () => {
    const { browser, authenticator } = await createHolder();
    const register = async (from: Authenticator, id: string, starts = browser) => {
      const response = { ...from.create(await startAdding(starts)), id, rawId: id };
      return browser.send('POST', `${AUTH}/register`, { name: 'MacBook', response });
    };
    const other = new Authenticator(service.url);
    await readError(await register(authenticator, other.id), 422, 'validation_failed');
    const { details } = await readError(await register(other, 'not base64url!'), 422, 'validation_failed');
    assert.ok(linesOf(details, 'field', 'code').includes('response.id invalid_format'));
    const stranger = await signIn(service, await createPerson(service));
    const response = other.create(await startAdding(stranger));
    for (const [name, value] of stranger.cookies) if (name.endsWith('.passkey')) browser.cookies.set(name, value);
    const given = { name: 'MacBook', response };
    await readError(await browser.send('POST', `${AUTH}/register`, given), 401, 'unauthorized');
  });

  test('does not take over the passkey of another user', async () => {
    const {
      authenticator: { id },
    } = await createHolder();
    const browser = await signIn(service, await createPerson(service));
    const response = new Authenticator(service.url, { id }).create(await startAdding(browser));
    const given = { name: 'MacBook', response };
    await readError(await browser.send('POST', `${AUTH}/register`, given), 409, 'conflict');
  });

  test(`is possible ${PASSKEYS_MAX} times`, async () => {
    const browser = await signIn(service, await createPerson(service));
    for (let count = 0; count < PASSKEYS_MAX; count += 1) await addPasskey(browser, new Authenticator(service.url));
    await readError(await browser.send('POST', `${AUTH}/begin-registration`, START), 409, 'conflict');
  });
});
