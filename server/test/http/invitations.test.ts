import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { linesOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { OPERATOR } from '../../src/domain/access/audit.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { createAdministrator } from '../../src/domain/accounts/administrators.ts';
import { startMailServer } from '../support/mail-server.ts';

const service = await startSharedService();

let guests = 0;

/** Invites a guest. @returns the inviter, and the invitation with the token of its link */
async function inviteGuest(role = 'member', email = `guest${guests++}@example.com`) {
  const ada = await createPerson(service);
  const adas = await signIn(service, ada);
  const { id, url } = await adas.ask('POST', '/admin/invitations', { email, role }, 201);
  return { ada, adas, id: String(id), email, token: String(url).split('#token=')[1] ?? '' };
}

function accept(browser: Browser, token: string, person: object = { name: 'Grace Hopper', password: PASSWORD }) {
  return browser.send('POST', '/admin/invitations/accept', { token, ...person });
}

describe('an invitation', () => {
  test('has its link only in the response that creates it', async () => {
    const { adas, id, email, ada } = await inviteGuest();
    const { data } = await adas.ask('GET', '/admin/invitations');
    const { createdAt } = data[0];
    const expiresAt = new Date(Date.parse(createdAt) + 7 * 24 * 60 * 60 * 1000).toISOString();
    assert.deepEqual(data, [{ id, email, role: 'member', createdAt, expiresAt, invitedBy: 'Ada Lovelace' }]);
    const other = await adas.ask('POST', '/admin/invitations', { email: ' Someone@Example.COM ', role: 'member' }, 201);
    assert.equal(other.email, 'someone@example.com');
    assert.ok(other.url.startsWith(`${service.url}/invitation#token=`));
    assert.equal(other.isMailed, false);
    assert.ok(!service.logLines.join('').includes(other.url.split('=')[1]));
    const rows = await service.sql('select * from invitations where account_id = ?', ada.accountId);
    assert.ok(!JSON.stringify(rows).includes(other.url.split('=')[1]), 'only the hash of the token is stored');
  });

  test('shows its account to a new user, who sets a name and password and is signed in', async () => {
    const { token, email, ada, adas } = await inviteGuest('administrator');
    const browser = new Browser(service);
    const offer = { accountName: 'Hill Country Homes', email, role: 'administrator', hasUser: false };
    assert.deepEqual(await browser.ask('POST', '/admin/invitations/preview', { token }), offer);
    const response = await accept(browser, token);
    assert.equal(response.status, 200);
    const session = JSON.parse(await response.text());
    assert.deepEqual(
      [session.user.name, session.user.email, session.account.id, session.account.role],
      ['Grace Hopper', email, ada.accountId, 'administrator'],
    );
    assert.equal((await browser.ask('GET', '/admin/members')).data.length, 2);
    assert.deepEqual((await adas.ask('GET', '/admin/invitations')).data, []);
    const { data } = await adas.ask('GET', '/admin/activity?limit=3');
    assert.deepEqual(linesOf(data, 'action', 'actor.name'), [
      'administrator.signed_in Grace Hopper',
      'member.joined Grace Hopper',
      'invitation.created Ada Lovelace',
    ]);
  });

  test('works once', async () => {
    const { token } = await inviteGuest();
    const accepting = [new Browser(service), new Browser(service)].map((browser) => accept(browser, token));
    const statuses = (await Promise.all(accepting)).map(({ status }) => status).sort();
    assert.equal(statuses[0], 200);
    assert.ok(statuses[1] === 404 || statuses[1] === 401 || statuses[1] === 409, String(statuses));
    await new Browser(service).ask('POST', '/admin/invitations/preview', { token }, 404);
  });

  test('for an existing user needs their sign-in, and adds the account to theirs', async () => {
    const person = await createPerson(service);
    const { token, ada } = await inviteGuest('member', person.email);
    const browser = new Browser(service);
    assert.equal((await browser.ask('POST', '/admin/invitations/preview', { token })).hasUser, true);
    await readError(await accept(browser, token), 401, 'unauthorized');
    const another = await signIn(service, await createPerson(service));
    await readError(await accept(another, token, {}), 409, 'conflict');
    const own = await signIn(service, person);
    const session = JSON.parse(await (await accept(own, token, {})).text());
    assert.deepEqual([session.account.id, session.account.role], [ada.accountId, 'member']);
    assert.deepEqual(linesOf(session.accounts, 'id').sort(), [person.accountId, ada.accountId].sort());
  });

  test('expires after seven days, when revoked, and when the address is invited again', async () => {
    const old = await inviteGuest();
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 7 * 24 * 60 * 60 * 1000 + 1 });
    const late = await accept(new Browser(service), old.token).finally(() => mock.timers.reset());
    await readError(late, 404, 'not_found');

    const taken = await inviteGuest();
    await taken.adas.ask('DELETE', `/admin/invitations/${taken.id}`, undefined, 204);
    await readError(await accept(new Browser(service), taken.token), 404, 'not_found');
    await taken.adas.ask('DELETE', `/admin/invitations/${taken.id}`, undefined, 404);

    const replaced = await inviteGuest();
    const { email } = replaced;
    const { url } = await replaced.adas.ask('POST', '/admin/invitations', { email, role: 'administrator' }, 201);
    assert.equal((await replaced.adas.ask('GET', '/admin/invitations')).data.length, 1);
    await readError(await accept(new Browser(service), replaced.token), 404, 'not_found');
    assert.equal((await accept(new Browser(service), url.split('#token=')[1])).status, 200);
  });

  test('stays valid after attempts with an invalid name or password', async () => {
    const { token } = await inviteGuest();
    for (const [person, fields] of [
      [{}, ['name', 'password']],
      [{ name: 'Grace' }, ['password']],
      [{ name: ' ', password: 'short' }, ['name', 'password']],
    ] as const) {
      const { details } = await readError(await accept(new Browser(service), token, person), 422, 'validation_failed');
      assert.deepEqual(linesOf(details, 'field'), fields);
    }
    assert.equal((await accept(new Browser(service), token)).status, 200);
  });

  test('is limited to five an hour per address', async () => {
    const { adas, email } = await inviteGuest();
    const invite = (address: string) => adas.send('POST', '/admin/invitations', { email: address, role: 'member' });
    for (let count = 0; count < 4; count += 1) assert.equal((await invite(email)).status, 201);
    const rejected = await invite(email.toUpperCase());
    assert.ok(Number(rejected.headers.get('retry-after')) > 0);
    await readError(rejected, 429, 'rate_limited');
    assert.equal((await invite('another@example.com')).status, 201);
    assert.equal((await adas.ask('GET', '/admin/invitations')).data.length, 2);
  });

  test('can be created and listed only in its own account', async () => {
    const { ada, adas } = await inviteGuest();
    const strangers = await signIn(service, await createPerson(service));
    const given = { email: 'mallory@example.com', role: 'administrator' };
    assert.deepEqual((await strangers.ask('GET', '/admin/invitations')).data, []);
    await strangers.ask('POST', '/admin/invitations', { ...given, accountId: ada.accountId }, 422);
    assert.equal((await adas.ask('GET', '/admin/invitations')).data.length, 1);
  });
});

describe('an administrator who is removed or becomes a member', () => {
  const log = async (browser: Browser) =>
    (await browser.ask('GET', '/admin/activity?limit=3')).data.map(
      ({ action, target }: Record<string, { name: string }>) => [action, target?.name],
    );

  /** Eve, an administrator with an open invitation, and Ada, another administrator. */
  async function enterWithEve() {
    const ada = await createPerson(service);
    const eve = await createPerson(service, { accountId: ada.accountId, name: 'Eve' });
    const [adas, eves] = [await signIn(service, ada), await signIn(service, eve)];
    const given = { email: `eve${guests++}@example.com`, role: 'administrator' };
    const { url } = await eves.ask('POST', '/admin/invitations', given, 201);
    return { ada, adas, eve, invited: given.email, token: String(url).split('#token=')[1] ?? '' };
  }

  test('when removed, loses their open invitations, and the audit log says so', async () => {
    const { adas, eve, invited, token } = await enterWithEve();
    await adas.ask('DELETE', `/admin/members/${eve.userId}`, undefined, 204);
    await readError(await accept(new Browser(service), token), 404, 'not_found');
    assert.deepEqual((await adas.ask('GET', '/admin/invitations')).data, []);
    assert.deepEqual((await log(adas)).slice(0, 2), [
      ['member.removed', `Eve <${eve.email}>`],
      ['invitation.revoked', invited],
    ]);
  });

  test('when made a member, also loses their open invitations', async () => {
    const { adas, eve, invited, token } = await enterWithEve();
    await adas.ask('PATCH', `/admin/members/${eve.userId}`, { role: 'member' });
    await readError(await accept(new Browser(service), token), 404, 'not_found');
    assert.deepEqual((await log(adas)).slice(0, 2), [
      ['member.role_changed', `Eve <${eve.email}>: member`],
      ['invitation.revoked', invited],
    ]);
  });

  test('cannot return with an earlier invitation of their own; other invitations stay valid', async () => {
    const { ada, adas, eve } = await enterWithEve();
    const { email } = eve;
    await adas.ask('DELETE', `/admin/members/${eve.userId}`, undefined, 204);
    const { url } = await adas.ask('POST', '/admin/invitations', { email, role: 'member' }, 201);
    await adas.ask('POST', '/admin/invitations', { email: 'other@example.com', role: 'member' }, 201);
    // The operator adds Eve again, and Ada removes her again.
    const again = { name: 'Eve', email, password: PASSWORD };
    const { id } = await createAdministrator(service.database, ada.accountId, again, 'member', OPERATOR);
    await adas.ask('DELETE', `/admin/members/${id}`, undefined, 204);
    await readError(await accept(new Browser(service), String(url).split('#token=')[1] ?? ''), 404, 'not_found');
    const { data } = await adas.ask('GET', '/admin/invitations');
    assert.deepEqual(linesOf(data, 'email'), ['other@example.com']);
  });
});

describe('invitation mail', () => {
  test('is sent if SMTP_URL and MAIL_FROM are set', async (t) => {
    const mail = await startMailServer();
    defer(t, () => mail.close());
    await using other = await startTestService({
      mail: { smtpUrl: mail.url, from: 'listings@example.com' },
      publicUrl: 'http://listings.example.com',
    });
    const ada = await createPerson(other);
    const browser = new Browser(other);
    const origin = { Origin: 'http://listings.example.com' };
    await browser.send('POST', '/admin/auth/sign-in/email', { email: ada.email, password: PASSWORD }, origin);
    const given = { email: 'grace@example.com', role: 'member' };
    const invited = await browser.send('POST', '/admin/invitations', given, origin);
    const { url, isMailed } = JSON.parse(await invited.text());
    assert.equal(isMailed, true);
    assert.ok(url.startsWith('http://listings.example.com/invitation#token='));
    const message = await until('the mail', () => mail.letters[0]);
    // RFC 2045 §6.7: long lines are folded, and "=" is encoded as =3D.
    const text = message.replaceAll('=\n', '').replaceAll('=3D', '=');
    const [mailed = ''] = /http:\/\/listings\.example\.com\/invitation#token=\S+/.exec(text) ?? [];
    assert.notEqual(mailed, '');
    assert.notEqual(mailed, url, 'the mailed link is in no response');
    const [, token] = mailed.split('#token=');
    const accepted = await browser.send('POST', '/admin/invitations/preview', { token }, origin);
    assert.equal(JSON.parse(await accepted.text()).email, 'grace@example.com');
    assert.match(text, /^To: grace@example.com$/m);
    assert.match(text, /^From: listings@example.com$/m);
    assert.match(text, /^Subject: Join Hill Country Homes/m);
  });

  test('confirms an address; for an unconfirmed one, the CLI asks the operator to name the user', async (t) => {
    const mail = await startMailServer();
    defer(t, () => mail.close());
    await using other = await startTestService({ mail: { smtpUrl: mail.url, from: 'listings@example.com' } });
    const mallory = await signIn(other, await createPerson(other, { name: 'Mallory' }));
    const { id: accountId } = await createAccount(other.database, 'Big Corp');
    const letIn = (email: string, personId?: string) =>
      createAdministrator(other.database, accountId, { email, personId }, 'administrator', OPERATOR);
    const invite = (email: string) => mallory.ask('POST', '/admin/invitations', { email, role: 'member' }, 201);

    const { url } = await invite('ceo@example.com');
    assert.equal((await accept(new Browser(other), url.split('#token=')[1])).status, 200);
    const error = await letIn('ceo@example.com').then(
      () => assert.fail('an unconfirmed address was accepted'),
      (reason: Error) => reason,
    );
    assert.match(error.message, /Grace Hopper, a user since \d{4}-.*, member of "Hill Country Homes" \(acc_\w+\)/);
    const [, personId = ''] = /--person (usr_\w+)/.exec(error.message) ?? [];
    await assert.rejects(letIn('ceo@example.com', 'usr_other'), /has the ID usr_\w+, not usr_other/);
    assert.equal((await letIn('ceo@example.com', personId)).id, personId);

    await invite('grace@example.com');
    const message = await until('the mail', () => mail.letters.find((text) => text.includes('To: grace@')));
    const mailed = message.replaceAll('=\n', '').replaceAll('=3D', '=');
    const [, token = ''] = /#token=(\S+)/.exec(mailed) ?? [];
    assert.equal((await accept(new Browser(other), token)).status, 200);
    assert.equal((await letIn('grace@example.com')).email, 'grace@example.com');
  });

  test('that cannot be sent leaves the invitation and its link valid', async () => {
    await using other = await startTestService({ mail: { smtpUrl: 'smtp://127.0.0.1:9', from: 'a@example.com' } });
    const adas = await signIn(other, await createPerson(other));
    const given = { email: 'grace@example.com', role: 'member' };
    const { url, isMailed } = await adas.ask('POST', '/admin/invitations', given, 201);
    assert.equal(isMailed, false);
    assert.equal((await accept(new Browser(other), url.split('#token=')[1])).status, 200);
    assert.ok(other.logLines.some((line) => line.includes('an invitation could not be mailed')));
  });
});
