import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Browser, createPerson, PASSWORD, type Person, signIn } from '../../../testkit/src/browser.ts';
import { linesOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { nextTotp, totp, wrongCode } from '../../../testkit/src/totp.ts';
import { removeExpired } from '../../src/storage/expired.ts';
import { enrol, giveCode, guard, isSignedIn, NEW_PASSWORD, typePassword } from '../support/two-factor.ts';
import { withholdBody } from '../support/withheld-body.ts';

const service = await startSharedService();

/** The user's actions in their account's audit log, oldest first. */
async function actionsOf(person: Person): Promise<string[]> {
  const browser = await signIn(service, await createPerson(service, { accountId: person.accountId }));
  const { data } = await browser.ask('GET', '/admin/activity');
  const own = data.filter(({ actor }: { actor: { id: string } }) => actor.id === person.userId).reverse();
  return linesOf(own, 'action').map((action) => action.replace('administrator.', ''));
}

describe('a password change', () => {
  test('replaces the password and ends every other session', async () => {
    const person = await createPerson(service);
    const [here, elsewhere] = [await signIn(service, person), await signIn(service, person)];
    const before = new Map(here.cookies);
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    const session = await here.ask('POST', '/admin/auth/change-password', change);
    assert.equal(session.account.id, person.accountId);
    assert.deepEqual([await isSignedIn(here), await isSignedIn(elsewhere)], [true, false]);
    const thief = new Browser(service);
    for (const [name, value] of before) thief.cookies.set(name, value);
    assert.equal(await isSignedIn(thief), false, 'the old cookie is invalid');

    const browser = new Browser(service);
    const { email } = person;
    await browser.ask('POST', '/admin/auth/sign-in/email', { email, password: PASSWORD }, 401);
    await browser.ask('POST', '/admin/auth/sign-in/email', { email, password: NEW_PASSWORD });
    assert.deepEqual(await actionsOf(person), ['signed_in', 'signed_in', 'password_changed', 'signed_in']);
  });

  test('needs the current password and an acceptable new one', async () => {
    const person = await createPerson(service);
    const browser = await signIn(service, person);
    for (const [given, field] of [
      [{ currentPassword: 'wrong password', newPassword: NEW_PASSWORD }, 'currentPassword'],
      [{ currentPassword: PASSWORD, newPassword: 'short' }, 'newPassword'],
      [{ currentPassword: PASSWORD, newPassword: 'letmein123' }, 'newPassword'],
      [{ currentPassword: PASSWORD, newPassword: 'orchid plum\n8841 sky' }, 'newPassword'],
      [{ currentPassword: PASSWORD, newPassword: 'orchid plum\u00008841 sky' }, 'newPassword'],
      [{ currentPassword: PASSWORD, newPassword: person.email }, 'newPassword'],
      [{ currentPassword: PASSWORD, newPassword: 'Hill-Country-26' }, 'newPassword'],
      [{ currentPassword: PASSWORD }, 'newPassword'],
    ] as const) {
      const response = await browser.send('POST', '/admin/auth/change-password', given);
      const { details } = await readError(response, 422, 'validation_failed');
      assert.deepEqual(linesOf(details, 'field'), [field]);
    }
    assert.ok(await isSignedIn(browser));
  });
});

describe('sessions', () => {
  test("are listed with IP addresses, but only the user's own and without tokens", async () => {
    const person = await createPerson(service);
    const here = await signIn(service, person);
    await signIn(service, person);
    await signIn(service, await createPerson(service, { accountId: person.accountId }));
    const sessions = await here.ask('GET', '/admin/auth/list-sessions');
    assert.equal(sessions.length, 2);
    assert.deepEqual(linesOf(sessions, 'isCurrent', 'ipAddress'), ['false 127.0.0.1', 'true 127.0.0.1']);
    const [[, cookie = ''] = []] = here.cookies;
    assert.ok(!JSON.stringify(sessions).includes(cookie.split('.')[0] ?? '-'));
  });

  test('expire 30 days after sign-in, however often they are used', async () => {
    const browser = await signIn(service, await createPerson(service));
    const [{ id }] = await browser.ask('GET', '/admin/auth/list-sessions');
    const day = 24 * 60 * 60 * 1000;
    const daysFromNow = (days: number) => new Date(Date.now() + days * day).toISOString();
    /** Backdates the session's start to this time, and its last extension to two days ago. */
    const makeOld = (createdAt: string) =>
      service.script(
        `update sessions set created_at = '${createdAt}', updated_at = '${daysFromNow(-2)}', expires_at = '${daysFromNow(5)}' where id = '${id}'`,
      );
    for (const days of [28, 22]) {
      const createdAt = daysFromNow(-days);
      await makeOld(createdAt);
      assert.ok(await isSignedIn(browser));
      const [{ expiresAt }] = await browser.ask('GET', '/admin/auth/list-sessions');
      const lastDay = Date.parse(createdAt) + 30 * day;
      if (days === 28) assert.equal(Date.parse(expiresAt), lastDay);
      else assert.ok(Date.parse(expiresAt) < lastDay, 'an earlier expiry is unchanged');
    }
    await makeOld(daysFromNow(-30));
    await service.database.write((session) => removeExpired(session, Date.now()));
    assert.equal(await isSignedIn(browser), false);
  });

  test("can be ended one by one or all others at once, but only the user's own", async () => {
    const person = await createPerson(service);
    const here = await signIn(service, person);
    const [second, third] = [await signIn(service, person), await signIn(service, person)];
    const stranger = await signIn(service, await createPerson(service));
    const [, , first] = await here.ask('GET', '/admin/auth/list-sessions');
    await stranger.ask('POST', '/admin/auth/revoke-session', { id: first.id }, 404);
    assert.ok(await isSignedIn(here));
    await third.ask('POST', '/admin/auth/revoke-session', { id: first.id }, 204);
    assert.deepEqual([await isSignedIn(here), await isSignedIn(second)], [false, true]);
    await second.ask('POST', '/admin/auth/revoke-other-sessions', {}, 204);
    assert.deepEqual([await isSignedIn(second), await isSignedIn(third)], [true, false]);
    assert.ok(await isSignedIn(stranger));
    assert.deepEqual((await actionsOf(person)).slice(-2), Array(2).fill('sessions_ended'));
  });
});

test('a new name is visible to the whole account at once, and the audit log has both names', async () => {
  const browser = await signIn(service, await createPerson(service));
  const renamed = await browser.ask('POST', '/admin/auth/update-user', { name: ' Grace Hopper ' });
  assert.equal(renamed.user.name, 'Grace Hopper');
  assert.equal((await browser.ask('GET', '/admin/session')).user.name, 'Grace Hopper');
  assert.equal((await browser.ask('GET', '/admin/members')).data[0].name, 'Grace Hopper');
  await browser.ask('POST', '/admin/auth/update-user', { name: 'Ada', email: 'other@example.com' }, 422);
  await browser.ask('POST', '/admin/auth/update-user', { name: 'Grace Hopper' });
  const { data } = await browser.ask('GET', '/admin/activity?limit=2');
  const { user } = await browser.ask('GET', '/admin/session');
  const [renaming, entry] = data;
  const actor = { type: 'administrator', id: user.id, name: 'Ada Lovelace', email: user.email };
  assert.deepEqual(linesOf(data, 'action'), ['administrator.name_changed', 'administrator.signed_in']);
  assert.deepEqual([renaming.actor, entry.actor, entry.target], [actor, actor, null]);
  assert.deepEqual(renaming.target, { type: 'administrator', id: user.id, name: 'Grace Hopper' });
});

describe('the second factor', () => {
  test('is required once it is on, and accepts an authenticator code', async () => {
    const { person, totpURI } = await guard(service);
    const browser = await typePassword(service, person);
    await readError(await browser.send('GET', '/admin/listings'), 401, 'unauthorized');
    const wrong = await giveCode(browser, 'totp', wrongCode(totp(totpURI)));
    assert.deepEqual(linesOf((await readError(wrong, 422, 'validation_failed')).details, 'field'), ['code']);
    const { user } = Object(await (await giveCode(browser, 'totp', ` ${nextTotp(totpURI)} `)).json());
    assert.equal(user.id, person.userId);
    assert.ok(await isSignedIn(browser));
    const actions = ['signed_in', 'two_factor_enabled', 'second_factor_refused', 'signed_in'];
    assert.deepEqual(await actionsOf(person), actions);
  });

  test('is off until the first code is entered', async () => {
    const { person, browser } = await enrol(service);
    assert.equal((await browser.ask('GET', '/admin/session')).user.hasTwoFactor, false);
    assert.ok(await isSignedIn(await signIn(service, person)));
  });

  test('accepts each recovery code once, and new ones replace the old', async () => {
    const { person, browser, backupCodes, totpURI } = await guard(service);
    const [first = '', second = ''] = backupCodes;
    assert.equal(backupCodes.length, 10);
    const use = async (code: string) =>
      (await giveCode(await typePassword(service, person), 'backup-code', code)).status;
    assert.match(backupCodes.join('\n'), /^([0-9a-hjkmnp-tv-z]{4}(-|\n|$)){30}$/);
    // The code as a user copies it from paper: upper case, spaces, and the letters O and l for 0 and 1.
    const typed = first.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l');
    assert.deepEqual([await use(typed), await use(first)], [200, 422]);
    const proof = { password: PASSWORD, code: nextTotp(totpURI) };
    const renewed = await browser.ask('POST', '/admin/auth/two-factor/generate-backup-codes', proof);
    assert.deepEqual([await use(second), await use(renewed.backupCodes[0])], [422, 200]);
  });

  test('records wrong codes, new recovery codes, and used recovery codes in the audit log', async () => {
    const { person, browser, totpURI } = await guard(service);
    const proof = { password: PASSWORD, code: nextTotp(totpURI) };
    const { backupCodes } = await browser.ask('POST', '/admin/auth/two-factor/generate-backup-codes', proof);
    const late = await typePassword(service, person);
    assert.equal((await giveCode(late, 'totp', wrongCode(totp(totpURI)))).status, 422);
    assert.equal((await giveCode(late, 'backup-code', 'AAAAA-AAAAA')).status, 422);
    assert.equal((await giveCode(late, 'backup-code', backupCodes[0])).status, 200);
    const { data } = await browser.ask('GET', '/admin/activity?limit=5');
    assert.deepEqual(linesOf(data, 'action', 'actor.email').reverse(), [
      `administrator.recovery_codes_renewed ${person.email}`,
      `administrator.second_factor_refused ${person.email}`,
      `administrator.second_factor_refused ${person.email}`,
      `administrator.recovery_code_used ${person.email}`,
      `administrator.signed_in ${person.email}`,
    ]);
  });

  test('cannot be turned on by a recovery code, and a signed-in user cannot use one up', async () => {
    const { person, browser, totpURI, backupCodes } = await enrol(service);
    const give = () => giveCode(browser, 'backup-code', backupCodes[0]);
    await readError(await give(), 409, 'conflict');
    assert.equal((await browser.ask('GET', '/admin/session')).user.hasTwoFactor, false);
    assert.equal((await giveCode(browser, 'totp', totp(totpURI))).status, 200);
    await readError(await give(), 409, 'conflict');
    assert.equal((await giveCode(await typePassword(service, person), 'backup-code', backupCodes[0])).status, 200);
  });

  test('accepts a recovery code once, even of two concurrent sign-ins', async () => {
    const { person, backupCodes } = await guard(service);
    const browsers = [await typePassword(service, person), await typePassword(service, person)];
    const responses = await Promise.all(browsers.map((browser) => giveCode(browser, 'backup-code', backupCodes[0])));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 422]);
    assert.deepEqual((await Promise.all(browsers.map(isSignedIn))).sort(), [false, true]);
  });

  test('accepts an authenticator code once, even of two concurrent sign-ins, and no older one', async () => {
    const { person, totpURI, usedCode, backupCodes } = await guard(service);
    const late = await typePassword(service, person);
    const { details } = await readError(await giveCode(late, 'totp', usedCode), 422, 'validation_failed');
    const message = 'Was already used; wait until the app shows the next one.';
    assert.deepEqual(details, [{ field: 'code', code: 'invalid_format', message }]);
    const browsers = [await typePassword(service, person), await typePassword(service, person)];
    const code = nextTotp(totpURI);
    const responses = await Promise.all(browsers.map((browser) => giveCode(browser, 'totp', code)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 422]);
    assert.deepEqual((await Promise.all(browsers.map(isSignedIn))).sort(), [false, true]);
    await readError(await giveCode(late, 'totp', usedCode), 422, 'validation_failed');
    assert.equal(await isSignedIn(late), false);
    assert.equal((await giveCode(late, 'backup-code', backupCodes[0])).status, 200);
  });

  test('limits guesses: after five wrong codes the password is required again, then 429', async () => {
    const { person, totpURI } = await guard(service);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const browser = await typePassword(service, person);
      for (let guess = 0; guess < 6; guess += 1) {
        statuses.push((await giveCode(browser, 'totp', wrongCode(totp(totpURI)))).status);
      }
    }
    assert.deepEqual(statuses.slice(0, 6), [422, 422, 422, 422, 422, 401]);
    assert.equal(statuses.at(-1), 429);
    const browser = await typePassword(service, person);
    const response = await giveCode(browser, 'totp', totp(totpURI));
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    await readError(response, 429, 'rate_limited');
    assert.equal(await isSignedIn(browser), false);
  });

  for (const verb of ['disable', 'generate-backup-codes']) {
    test(`needs both password and code for ${verb}`, async () => {
      const { browser, usedCode, backupCodes } = await guard(service);
      const fieldOf = async (password: string, code?: string) => {
        const rejected = await browser.send('POST', `/admin/auth/two-factor/${verb}`, { password, code });
        return (await readError(rejected, 422, 'validation_failed')).details?.[0]?.field;
      };
      for (const code of [undefined, '', wrongCode(usedCode), usedCode, 'aaaa-aaaa-aaaa']) {
        assert.equal(await fieldOf(PASSWORD, code), 'code', String(code));
      }
      assert.equal(await fieldOf('wrong password', backupCodes[0]), 'password');
      assert.equal((await browser.ask('GET', '/admin/session')).user.hasTwoFactor, true);
      await browser.ask('POST', `/admin/auth/two-factor/${verb}`, { password: PASSWORD, code: backupCodes[0] });
    });
  }

  for (const verb of ['disable', 'generate-backup-codes']) {
    test(`needs a code for ${verb} if it was turned on while the body was being sent`, async () => {
      const { person, browser, totpURI, backupCodes } = await enrol(service);
      const thief = await signIn(service, person);
      const senders = [0, 1].map(() => withholdBody(service, thief, `/admin/auth/two-factor/${verb}`));
      const [first, second] = await Promise.all(senders);
      assert.equal((await giveCode(browser, 'totp', totp(totpURI))).status, 200);
      for (const rejected of [
        await first?.({ password: PASSWORD }),
        await second?.({ password: PASSWORD, code: wrongCode(totp(totpURI)) }),
      ]) {
        assert.ok(rejected !== undefined);
        const { details } = await readError(rejected, 422, 'validation_failed');
        assert.deepEqual(linesOf(details, 'field', 'code'), ['code required']);
      }
      assert.equal((await browser.ask('GET', '/admin/session')).user.hasTwoFactor, true);
      assert.equal((await giveCode(await typePassword(service, person), 'backup-code', backupCodes[0])).status, 200);
      const actions = ['signed_in', 'signed_in', 'two_factor_enabled', 'recovery_code_used', 'signed_in'];
      assert.deepEqual(await actionsOf(person), actions);
    });
  }

  test('limits code guesses in attempts to turn it off, like password guesses', async () => {
    const { browser, totpURI } = await guard(service);
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      const given = { password: PASSWORD, code: wrongCode(totp(totpURI)) };
      statuses.push((await browser.send('POST', '/admin/auth/two-factor/disable', given)).status);
    }
    assert.deepEqual(statuses, [...Array(10).fill(422), 429]);
  });

  test('can be turned off with a recovery code, and the audit log records it', async () => {
    const { person, browser, backupCodes } = await guard(service);
    const code = ` ${backupCodes[0]?.toUpperCase()} `;
    await browser.ask('POST', '/admin/auth/two-factor/disable', { password: PASSWORD, code });
    assert.deepEqual((await actionsOf(person)).slice(-2), ['recovery_code_used', 'two_factor_disabled']);
  });

  test('can be turned off with password and code, and is then not required', async () => {
    const { person, browser, totpURI } = await guard(service);
    const proof = { password: PASSWORD, code: nextTotp(totpURI) };
    const session = await browser.ask('POST', '/admin/auth/two-factor/disable', proof);
    assert.deepEqual([session.user.hasTwoFactor, session.account.id], [false, person.accountId]);
    assert.ok(await isSignedIn(await signIn(service, person)));
  });

  test('can be turned off while it is off, which ends its setup and is not recorded', async () => {
    const { person, browser, totpURI } = await enrol(service);
    const given = { password: PASSWORD, code: totp(totpURI) };
    const session = await browser.ask('POST', '/admin/auth/two-factor/disable', given);
    assert.equal(session.user.hasTwoFactor, false);
    assert.equal((await giveCode(browser, 'totp', totp(totpURI))).status, 409);
    assert.deepEqual(await actionsOf(person), ['signed_in']);
  });

  test('cannot be set up twice, and has no recovery codes while it is off', async () => {
    const { browser } = await guard(service);
    await browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD }, 409);
    const other = await signIn(service, await createPerson(service));
    await other.ask('POST', '/admin/auth/two-factor/generate-backup-codes', { password: PASSWORD }, 409);
  });

  test('is accepted only in the browser that entered the password', async () => {
    const { person, totpURI } = await guard(service);
    await typePassword(service, person);
    const response = await new Browser(service).send('POST', '/admin/auth/two-factor/verify-totp', {
      code: totp(totpURI),
    });
    await readError(response, 401, 'unauthorized');
  });

  test('needs a new sign-in if the password has changed since it was entered', async () => {
    const { person, browser, totpURI } = await guard(service);
    const waiting = await typePassword(service, person);
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    await browser.ask('POST', '/admin/auth/change-password', change);
    await waiting.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(totpURI) }, 401);
  });
});
