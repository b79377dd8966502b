import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Browser, createPerson, PASSWORD, type Person, signIn } from '../../../testkit/src/browser.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startTestService } from '../../../testkit/src/service.ts';
import { nextTotp, totp, wrongCode } from '../../../testkit/src/totp.ts';
import { removeExpired } from '../../src/storage/expired.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const NEW_PASSWORD = 'staple battery horse correct';

/** What the audit log of somebody's account tells, the latest last. */
async function actionsOf(person: Person): Promise<string[]> {
  const browser = await signIn(service, await createPerson(service, { accountId: person.accountId }));
  const { data } = await browser.ask('GET', '/admin/activity');
  const own = data.filter(({ actor }: { actor: { id: string } }) => actor.id === person.userId);
  return own.map(({ action }: { action: string }) => action).reverse();
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.ask('GET', '/admin/session')) !== null;
}

describe('a changed password', () => {
  test('is the one to sign in with, and ends every other session', async () => {
    const person = await createPerson(service);
    const [here, elsewhere] = [await signIn(service, person), await signIn(service, person)];
    const before = new Map(here.cookies);
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    const session = await here.ask('POST', '/admin/auth/change-password', change);
    assert.equal(session.account.id, person.accountId);
    assert.deepEqual([await isSignedIn(here), await isSignedIn(elsewhere)], [true, false]);
    const thief = new Browser(service);
    for (const [name, value] of before) thief.cookies.set(name, value);
    assert.equal(await isSignedIn(thief), false, 'the old cookie of this session is over, too');

    const browser = new Browser(service);
    const { email } = person;
    await browser.ask('POST', '/admin/auth/sign-in/email', { email, password: PASSWORD }, 401);
    await browser.ask('POST', '/admin/auth/sign-in/email', { email, password: NEW_PASSWORD });
    assert.deepEqual(await actionsOf(person), [
      'administrator.signed_in',
      'administrator.signed_in',
      'administrator.password_changed',
      'administrator.signed_in',
    ]);
  });

  test('needs the current one, and must be one', async () => {
    const person = await createPerson(service);
    const browser = await signIn(service, person);
    for (const [given, field] of [
      [{ currentPassword: 'wrong password', newPassword: NEW_PASSWORD }, 'currentPassword'],
      [{ currentPassword: PASSWORD, newPassword: 'short' }, 'newPassword'],
      [{ currentPassword: PASSWORD, newPassword: 'letmein123' }, 'newPassword'],
      [{ currentPassword: PASSWORD, newPassword: person.email }, 'newPassword'],
      [{ currentPassword: PASSWORD, newPassword: 'Hill-Country-26' }, 'newPassword'],
      [{ currentPassword: PASSWORD }, 'newPassword'],
    ] as const) {
      const response = await browser.send('POST', '/admin/auth/change-password', given);
      const { details } = await readError(response, 422, 'validation_failed');
      assert.deepEqual(
        details?.map((fault) => fault.field),
        [field],
      );
    }
    assert.ok(await isSignedIn(browser));
  });
});

describe('sessions', () => {
  test('are listed to their person with where they are, and no token', async () => {
    const person = await createPerson(service);
    const here = await signIn(service, person);
    await signIn(service, person);
    await signIn(service, await createPerson(service, { accountId: person.accountId }));
    const sessions = await here.ask('GET', '/admin/auth/list-sessions');
    assert.equal(sessions.length, 2);
    assert.deepEqual(
      sessions.map(({ isCurrent, ipAddress }: Record<string, unknown>) => [isCurrent, ipAddress]),
      [
        [false, '127.0.0.1'],
        [true, '127.0.0.1'],
      ],
    );
    const [[, cookie = ''] = []] = here.cookies;
    assert.ok(!JSON.stringify(sessions).includes(cookie.split('.')[0] ?? '-'));
  });

  test('end 30 days after they began, however often they are used', async () => {
    const browser = await signIn(service, await createPerson(service));
    const [{ id }] = await browser.ask('GET', '/admin/auth/list-sessions');
    const day = 24 * 60 * 60 * 1000;
    const daysFromNow = (days: number) => new Date(Date.now() + days * day).toISOString();
    /** As if it had begun then, and had been extended until two days ago. */
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
      else assert.ok(Date.parse(expiresAt) < lastDay, 'what ends before is left as it is');
    }
    await makeOld(daysFromNow(-30));
    await service.database.write((session) => removeExpired(session, Date.now()));
    assert.equal(await isSignedIn(browser), false);
  });

  test('end one by one or all others at once, with the next request, and only one’s own', async () => {
    const person = await createPerson(service);
    const [here, second, third] = [
      await signIn(service, person),
      await signIn(service, person),
      await signIn(service, person),
    ];
    const stranger = await signIn(service, await createPerson(service));
    const [, , first] = await here.ask('GET', '/admin/auth/list-sessions');
    await stranger.ask('POST', '/admin/auth/revoke-session', { id: first.id }, 404);
    assert.ok(await isSignedIn(here));
    await third.ask('POST', '/admin/auth/revoke-session', { id: first.id }, 204);
    assert.deepEqual([await isSignedIn(here), await isSignedIn(second)], [false, true]);
    await second.ask('POST', '/admin/auth/revoke-other-sessions', {}, 204);
    assert.deepEqual([await isSignedIn(second), await isSignedIn(third)], [true, false]);
    assert.ok(await isSignedIn(stranger));
    assert.deepEqual((await actionsOf(person)).slice(-2), [
      'administrator.sessions_ended',
      'administrator.sessions_ended',
    ]);
  });
});

test('a new name is shown at once, also to the team, and the audit log says who is called so now', async () => {
  const browser = await signIn(service, await createPerson(service));
  assert.equal(
    (await browser.ask('POST', '/admin/auth/update-user', { name: ' Grace Hopper ' })).user.name,
    'Grace Hopper',
  );
  assert.equal((await browser.ask('GET', '/admin/session')).user.name, 'Grace Hopper');
  assert.equal((await browser.ask('GET', '/admin/members')).data[0].name, 'Grace Hopper');
  await browser.ask('POST', '/admin/auth/update-user', { name: 'Ada', email: 'other@example.com' }, 422);
  await browser.ask('POST', '/admin/auth/update-user', { name: 'Grace Hopper' });
  const { data } = await browser.ask('GET', '/admin/activity?limit=2');
  const { user } = await browser.ask('GET', '/admin/session');
  assert.deepEqual(
    data.map(({ action, actor, target }: Record<string, { name: string; email: string }>) => [action, actor, target]),
    [
      [
        'administrator.name_changed',
        { type: 'administrator', id: user.id, name: 'Ada Lovelace', email: user.email },
        { type: 'administrator', id: user.id, name: 'Grace Hopper' },
      ],
      [
        'administrator.signed_in',
        { type: 'administrator', id: user.id, name: 'Ada Lovelace', email: user.email },
        null,
      ],
    ],
  );
});

/** Somebody with the second factor on, signed in. */
async function createGuarded() {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const { totpURI, backupCodes } = await browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD });
  const { user } = await browser.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(totpURI) });
  assert.equal(user.hasTwoFactor, true);
  return { person, browser, totpURI: String(totpURI), backupCodes: backupCodes as string[] };
}

/** A browser in which the password was right, and the code is owed. */
async function typePassword({ email }: Person): Promise<Browser> {
  const browser = new Browser(service);
  const answer = await browser.ask('POST', '/admin/auth/sign-in/email', { email, password: PASSWORD });
  assert.deepEqual(answer, { twoFactorRedirect: true });
  assert.equal(await isSignedIn(browser), false);
  return browser;
}

describe('the second factor', () => {
  test('is asked for once it is on, and a code of the app lets in', async () => {
    const { person, totpURI } = await createGuarded();
    const browser = await typePassword(person);
    await readError(await browser.send('GET', '/admin/listings'), 401, 'unauthorized');
    const wrong = { code: wrongCode(totp(totpURI)) };
    const { details } = await readError(
      await browser.send('POST', '/admin/auth/two-factor/verify-totp', wrong),
      422,
      'validation_failed',
    );
    assert.equal(details?.[0]?.field, 'code');
    const { user } = await browser.ask('POST', '/admin/auth/two-factor/verify-totp', {
      code: ` ${nextTotp(totpURI)} `,
    });
    assert.equal(user.id, person.userId);
    assert.ok(await isSignedIn(browser));
    assert.deepEqual(await actionsOf(person), [
      'administrator.signed_in',
      'administrator.two_factor_enabled',
      'administrator.second_factor_refused',
      'administrator.signed_in',
    ]);
  });

  test('is not on before a code was typed', async () => {
    const person = await createPerson(service);
    const browser = await signIn(service, person);
    await browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD });
    assert.equal((await browser.ask('GET', '/admin/session')).user.hasTwoFactor, false);
    assert.ok(await isSignedIn(await signIn(service, person)));
  });

  test('can be a recovery code: each works once, and new ones end the old', async () => {
    const { person, browser, backupCodes, totpURI } = await createGuarded();
    const [first = '', second = ''] = backupCodes;
    assert.equal(backupCodes.length, 10);
    const use = async (code: string) =>
      (await (await typePassword(person)).send('POST', '/admin/auth/two-factor/verify-backup-code', { code })).status;
    assert.match(backupCodes.join('\n'), /^([0-9a-hjkmnp-tv-z]{4}(-|\n|$)){30}$/);
    // As it is read from paper: in capitals, with spaces, a zero taken for the letter.
    const typed = first.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l');
    assert.deepEqual([await use(typed), await use(first)], [200, 422]);
    const proof = { password: PASSWORD, code: nextTotp(totpURI) };
    const renewed = await browser.ask('POST', '/admin/auth/two-factor/generate-backup-codes', proof);
    assert.deepEqual([await use(second), await use(renewed.backupCodes[0])], [422, 200]);
  });

  test('leaves a line in the audit log when it is wrong, when recovery codes are made, and when one lets somebody in', async () => {
    const { person, browser, totpURI } = await createGuarded();
    const { backupCodes } = await browser.ask('POST', '/admin/auth/two-factor/generate-backup-codes', {
      password: PASSWORD,
      code: nextTotp(totpURI),
    });
    const late = await typePassword(person);
    const give = (factor: string, code?: string) =>
      late.send('POST', `/admin/auth/two-factor/verify-${factor}`, { code });
    assert.equal((await give('totp', wrongCode(totp(totpURI)))).status, 422);
    assert.equal((await give('backup-code', 'AAAAA-AAAAA')).status, 422);
    assert.equal((await give('backup-code', backupCodes[0])).status, 200);
    const { data } = await browser.ask('GET', '/admin/activity?limit=5');
    assert.deepEqual(
      data.map(({ action, actor }: { action: string; actor: { email: string } }) => [action, actor.email]).reverse(),
      [
        ['administrator.recovery_codes_renewed', person.email],
        ['administrator.second_factor_refused', person.email],
        ['administrator.second_factor_refused', person.email],
        ['administrator.recovery_code_used', person.email],
        ['administrator.signed_in', person.email],
      ],
    );
  });

  test('is not switched on by a recovery code, and none is used up by who is signed in', async () => {
    const person = await createPerson(service);
    const browser = await signIn(service, person);
    const { totpURI, backupCodes } = await browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD });
    const give = () => browser.send('POST', '/admin/auth/two-factor/verify-backup-code', { code: backupCodes[0] });
    await readError(await give(), 409, 'conflict');
    assert.equal((await browser.ask('GET', '/admin/session')).user.hasTwoFactor, false);
    await browser.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(totpURI) });
    await readError(await give(), 409, 'conflict');
    const another = await typePassword(person);
    await another.ask('POST', '/admin/auth/two-factor/verify-backup-code', { code: backupCodes[0] });
  });

  test('is paid by a recovery code once, also by two at the same time', async () => {
    const { person, backupCodes } = await createGuarded();
    const browsers = [await typePassword(person), await typePassword(person)];
    const answers = await Promise.all(
      browsers.map((browser) =>
        browser.send('POST', '/admin/auth/two-factor/verify-backup-code', { code: backupCodes[0] }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422]);
    assert.deepEqual((await Promise.all(browsers.map(isSignedIn))).sort(), [false, true]);
  });

  test('is paid by a code of the app once, also by two at the same time, and not by an older one', async () => {
    const { person, totpURI, backupCodes } = await createGuarded();
    const used = totp(totpURI);
    const give = (browser: Browser, code: string) =>
      browser.send('POST', '/admin/auth/two-factor/verify-totp', { code });
    const late = await typePassword(person);
    const { details } = await readError(await give(late, used), 422, 'validation_failed');
    assert.deepEqual(details, [
      {
        field: 'code',
        code: 'invalid_format',
        message: 'Was already used; wait until the app shows the next one.',
      },
    ]);
    const browsers = [await typePassword(person), await typePassword(person)];
    const code = nextTotp(totpURI);
    const answers = await Promise.all(browsers.map((browser) => give(browser, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422]);
    assert.deepEqual((await Promise.all(browsers.map(isSignedIn))).sort(), [false, true]);
    await readError(await give(late, used), 422, 'validation_failed');
    assert.equal(await isSignedIn(late), false);
    await late.ask('POST', '/admin/auth/two-factor/verify-backup-code', { code: backupCodes[0] });
  });

  test('cannot be guessed: after some wrong codes the password is owed again, and then there is a pause', async () => {
    const { person, totpURI } = await createGuarded();
    const answers: number[] = [];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const browser = await typePassword(person);
      for (let guess = 0; guess < 6; guess += 1) {
        const given = { code: wrongCode(totp(totpURI)) };
        answers.push((await browser.send('POST', '/admin/auth/two-factor/verify-totp', given)).status);
      }
    }
    assert.deepEqual(answers.slice(0, 6), [422, 422, 422, 422, 422, 401]);
    assert.equal(answers.at(-1), 429);
    const browser = await typePassword(person);
    const response = await browser.send('POST', '/admin/auth/two-factor/verify-totp', { code: totp(totpURI) });
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    await readError(response, 429, 'rate_limited');
    assert.equal(await isSignedIn(browser), false);
  });

  for (const verb of ['disable', 'generate-backup-codes']) {
    test(`is not changed by the password alone, nor by a code alone: ${verb}`, async () => {
      const { browser, totpURI, backupCodes } = await createGuarded();
      const fieldOf = async (password: string, code?: string) => {
        const refused = await browser.send('POST', `/admin/auth/two-factor/${verb}`, { password, code });
        return (await readError(refused, 422, 'validation_failed')).details?.[0]?.field;
      };
      assert.equal(await fieldOf(PASSWORD), 'code');
      assert.equal(await fieldOf(PASSWORD, ''), 'code');
      assert.equal(await fieldOf(PASSWORD, wrongCode(totp(totpURI))), 'code');
      assert.equal(await fieldOf(PASSWORD, totp(totpURI)), 'code', 'it was used before');
      assert.equal(await fieldOf(PASSWORD, 'aaaa-aaaa-aaaa'), 'code');
      assert.equal(await fieldOf('wrong password', backupCodes[0]), 'password');
      assert.equal((await browser.ask('GET', '/admin/session')).user.hasTwoFactor, true);
      await browser.ask('POST', `/admin/auth/two-factor/${verb}`, { password: PASSWORD, code: backupCodes[0] });
    });
  }

  test('is not switched off by who tries codes: they are counted as passwords are', async () => {
    const { browser, totpURI } = await createGuarded();
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      const given = { password: PASSWORD, code: wrongCode(totp(totpURI)) };
      statuses.push((await browser.send('POST', '/admin/auth/two-factor/disable', given)).status);
    }
    assert.deepEqual(statuses, [...Array(10).fill(422), 429]);
  });

  test('is switched off by a recovery code, too, and the audit log says so', async () => {
    const { person, browser, backupCodes } = await createGuarded();
    const code = ` ${backupCodes[0]?.toUpperCase()} `;
    await browser.ask('POST', '/admin/auth/two-factor/disable', { password: PASSWORD, code });
    assert.deepEqual((await actionsOf(person)).slice(-2), [
      'administrator.recovery_code_used',
      'administrator.two_factor_disabled',
    ]);
  });

  test('is switched off by the password and a code, and then no longer asked for', async () => {
    const { person, browser, totpURI } = await createGuarded();
    const proof = { password: PASSWORD, code: nextTotp(totpURI) };
    const session = await browser.ask('POST', '/admin/auth/two-factor/disable', proof);
    assert.deepEqual([session.user.hasTwoFactor, session.account.id], [false, person.accountId]);
    assert.ok(await isSignedIn(await signIn(service, person)));
  });

  test('is not set up a second time, and has no recovery codes while it is off', async () => {
    const { browser } = await createGuarded();
    await browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD }, 409);
    const other = await signIn(service, await createPerson(service));
    await other.ask('POST', '/admin/auth/two-factor/generate-backup-codes', { password: PASSWORD }, 409);
  });

  test('that is owed is not paid in another browser, nor without the password', async () => {
    const { person, totpURI } = await createGuarded();
    await typePassword(person);
    const response = await new Browser(service).send('POST', '/admin/auth/two-factor/verify-totp', {
      code: totp(totpURI),
    });
    await readError(response, 401, 'unauthorized');
  });

  test('that is owed begins anew when the password is changed meanwhile', async () => {
    const { person, browser, totpURI } = await createGuarded();
    const waiting = await typePassword(person);
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    await browser.ask('POST', '/admin/auth/change-password', change);
    await waiting.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(totpURI) }, 401);
  });
});
