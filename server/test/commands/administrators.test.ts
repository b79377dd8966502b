import assert from 'node:assert/strict';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Browser, PASSWORD } from '../../../testkit/src/browser.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { environment, PROGRAM, runCommandWarm } from '../../../testkit/src/process.ts';
import { createDirectory } from '../../../testkit/src/service.ts';
import { directoryFor, serveFor, spawnFor } from '../../../testkit/src/serving.ts';
import { totp } from '../../../testkit/src/totp.ts';
import { until } from '../../../testkit/src/until.ts';
import { startMailServer } from '../support/mail-server.ts';

const directory = await createDirectory();
const settings = { DATA_DIR: directory };
const { url } = await serveFor({ after }, settings);
after(() => rm(directory, { recursive: true, force: true }));
const NEW_PASSWORD = 'staple battery horse correct';

/** Runs a command with `--json` that must succeed; `input` is its stdin. */
async function run(args: string[], input = '', more: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runCommandWarm([...args, '--json'], { ...settings, ...more }, input);
  assert.equal(code, 0, stderr);
  assert.ok(!`${stdout}${stderr}`.includes(PASSWORD));
  return JSON.parse(stdout);
}

async function refused(args: string[], code: number, words: RegExp, input = ''): Promise<void> {
  const result = await runCommandWarm(args, settings, input);
  assert.match(result.stderr, words);
  assert.doesNotMatch(result.stderr, /^\s+at /m, 'no stack trace');
  assert.deepEqual([result.code, result.stdout], [code, '']);
}

let people = 0;

/** Creates an account and its administrator with one command. */
async function createAccountWithAdministrator() {
  const email = `ada${people++}@example.com`;
  const args = ['accounts', 'create', '--name', 'Ada & Co', '--admin-email', email, '--admin-password-stdin'];
  const { id } = await run(args, `${PASSWORD}\n`);
  return { id: String(id), email };
}

async function signIn(url: string, email: string, password: string): Promise<[number, Browser]> {
  const browser = new Browser({ url });
  const response = await browser.send('POST', '/admin/auth/sign-in/email', { email, password });
  await response.text();
  return [response.status, browser];
}

test('accounts create creates an account and an administrator who can sign in', async () => {
  const { id, email } = await createAccountWithAdministrator();
  const [status, browser] = await signIn(url, email, PASSWORD);
  assert.equal(status, 200);
  const { user, account } = await browser.ask('GET', '/admin/session');
  assert.deepEqual([user.name, account.id, account.role], [email.split('@')[0], id, 'administrator']);
  const { data } = await browser.ask('GET', '/admin/activity');
  assert.deepEqual(data.map(({ action, actor }: Record<string, { name: string }>) => [action, actor?.name]).slice(1), [
    ['member.joined', 'Operator'],
    ['account.created', 'Operator'],
  ]);
});

test('administrators create adds users, list shows them, and existing users keep their passwords', async () => {
  const { id, email } = await createAccountWithAdministrator();
  const grace = `grace${people++}@example.com`;
  const args = ['administrators', 'create', '--account', id, '--email', grace, '--name', 'Grace', '--role', 'member'];
  const created = await run([...args, '--password-stdin'], NEW_PASSWORD);
  assert.deepEqual({ ...created, id: '' }, { id: '', name: 'Grace', email: grace, accountId: id, role: 'member' });
  const second = await createAccountWithAdministrator();
  await run(['administrators', 'create', '--account', second.id, '--email', grace, '--existing']);
  const listed = await run(['administrators', 'list', '--account', id]);
  assert.deepEqual(
    listed.map((member: Record<string, string>) => [member.email, member.role]),
    [
      [email, 'administrator'],
      [grace, 'member'],
    ],
  );
  const [, browser] = await signIn(url, grace, NEW_PASSWORD);
  assert.equal((await browser.ask('GET', '/admin/session')).accounts.length, 2);
});

describe('administrators invite', () => {
  test('prints a link that works', async () => {
    const { id } = await createAccountWithAdministrator();
    const args = ['administrators', 'invite', '--account', id, '--email', 'New@Example.com', '--role', 'member'];
    const invitation = await run(args, '', { PUBLIC_URL: 'https://listings.example.com' });
    assert.equal(invitation.email, 'new@example.com');
    assert.equal(invitation.isMailed, false);
    const [base, token] = invitation.url.split('#token=');
    assert.equal(base, 'https://listings.example.com/invitation');
    const { account } = await new Browser({ url }).ask('POST', '/admin/invitations/accept', {
      token,
      name: 'Grace',
      password: PASSWORD,
    });
    assert.deepEqual([account.id, account.role], [id, 'member']);
  });

  test('without PUBLIC_URL, prints a link to the address that the service listens on', async () => {
    const { id } = await createAccountWithAdministrator();
    const args = ['administrators', 'invite', '--account', id, '--email', 'local@example.com'];
    for (const [HOST, base] of [
      ['127.0.0.1', 'http://127.0.0.1:3000'],
      ['0.0.0.0', 'http://127.0.0.1:3000'],
      ['::', 'http://[::1]:3000'],
      ['::1', 'http://[::1]:3000'],
    ] as const) {
      const invitation = await run(args, '', { HOST, PORT: '3000' });
      assert.equal(invitation.url.split('#token=')[0], `${base}/invitation`);
    }
  });

  test('sends the link by email if mail is configured', async (t) => {
    const mail = await startMailServer();
    defer(t, () => mail.close());
    const { id } = await createAccountWithAdministrator();
    const more = {
      SMTP_URL: mail.url,
      MAIL_FROM: 'Listings <listings@example.com>',
      PUBLIC_URL: 'https://listings.example.com',
    };
    const args = ['administrators', 'invite', '--account', id, '--email', 'mailed@example.com'];
    assert.equal((await run(args, '', more)).isMailed, true);
    assert.match(mail.letters.join(), /^To: mailed@example.com$/m);
    assert.match(mail.letters.join(), /https:\/\/listings\.example\.com\/invitation#token=3D/);
  });
});

describe('administrators reset-password', () => {
  test('sets a new password and ends every session', async () => {
    const { id, email } = await createAccountWithAdministrator();
    const [, browser] = await signIn(url, email, PASSWORD);
    await run(
      ['administrators', 'reset-password', '--account', id, '--email', email, '--password-stdin'],
      NEW_PASSWORD,
    );
    assert.equal(await browser.ask('GET', '/admin/session'), null);
    assert.equal((await signIn(url, email, PASSWORD))[0], 401);
    const [status, again] = await signIn(url, email, NEW_PASSWORD);
    assert.equal(status, 200);
    const { data } = await again.ask('GET', '/admin/activity');
    assert.deepEqual([data[1].action, data[1].actor.type], ['administrator.password_changed', 'operator']);
  });

  test('keeps the second factor without --remove-two-factor', async () => {
    const { id, email } = await createAccountWithAdministrator();
    const [, browser] = await signIn(url, email, PASSWORD);
    const { totpURI } = await browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD });
    await browser.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(totpURI) });
    const reset = ['administrators', 'reset-password', '--account', id, '--email', email, '--password-stdin'];
    await run(reset, NEW_PASSWORD);
    const owing = new Browser({ url });
    const given = { email, password: NEW_PASSWORD };
    assert.deepEqual(await owing.ask('POST', '/admin/auth/sign-in/email', given), { twoFactorRedirect: true });
    await run([...reset, '--remove-two-factor'], NEW_PASSWORD);
    const [, free] = await signIn(url, email, NEW_PASSWORD);
    assert.equal((await free.ask('GET', '/admin/session')).user.hasTwoFactor, false);
  });
});

describe('an impossible command explains why and changes nothing', async () => {
  const { id, email } = await createAccountWithAdministrator();
  const other = await createAccountWithAdministrator();
  const create = ['administrators', 'create', '--account', id, '--password-stdin', '--email'];
  const reset = ['administrators', 'reset-password', '--account', id, '--password-stdin', '--email'];
  for (const [name, args, code, words] of [
    ['an invalid address', [...create, 'ada'], 1, /"ada" is not an email address/],
    ['a user with a password', [...create, other.email], 1, /already signs in as .*; .* --existing/],
    [
      'a user with a password, for a new account',
      ['accounts', 'create', '--name', 'Third', '--admin-password-stdin', '--admin-email', other.email],
      1,
      /already signs in as .*; .* --admin-existing/,
    ],
    [
      'an existing member',
      ['administrators', 'create', '--account', id, '--email', email, '--existing'],
      1,
      /is already a member of the account/,
    ],
    [
      'an unknown user',
      ['administrators', 'create', '--account', id, '--email', 'x@example.com', '--existing'],
      1,
      /There is no user with the email address/,
    ],
    ['an unknown account', ['administrators', 'list', '--account', 'acc_x'], 1, /no account acc_x/],
    [
      'an invitation of a member',
      ['administrators', 'invite', '--account', id, '--email', email],
      1,
      /is already a member of the account/,
    ],
    ['the password of another account’s user', [...reset, other.email], 1, /No member of the account signs in as/],
    [
      'an unknown role',
      [...create, 'y@example.com', '--role', 'owner'],
      2,
      /Allowed choices are administrator, member/,
    ],
    ['no password', ['administrators', 'create', '--account', id, '--email', 'z@example.com'], 2, /--password-stdin/],
    ['a password for an existing user', [...create, other.email, '--existing'], 2, /cannot be used with/],
    ['a password for the user of an ID', [...create, other.email, '--person', 'usr_1'], 2, /cannot be used with/],
    [
      'a name for an existing user of a new account',
      ['accounts', 'create', '--name', 'X', '--admin-email', other.email, '--admin-existing', '--admin-name', 'Y'],
      2,
      /cannot be used with/,
    ],
    [
      'the ID of another user',
      ['administrators', 'create', '--account', id, '--email', other.email, '--person', 'usr_1'],
      1,
      /has the ID usr_\w+, not usr_1\.$/m,
    ],
    [
      'an administrator without an address',
      ['accounts', 'create', '--name', 'X', '--admin-name', 'Y'],
      2,
      /--admin-email/,
    ],
  ] as [string, string[], number, RegExp][]) {
    test(name, () => refused(args, code, words, NEW_PASSWORD));
  }

  test('a password that is too short', async () => {
    await refused([...create, 'short@example.com'], 1, /8 to 128 characters/, 'short');
    await refused([...create, 'lines@example.com'], 1, /must not contain line breaks/, 'orchid plum 8841 sky\n\n');
    const args = ['accounts', 'create', '--name', 'Never', '--admin-email', 'n@example.com', '--admin-password-stdin'];
    await refused(args, 1, /8 to 128 characters/, 'short');
    const accounts = await run(['accounts', 'list']);
    assert.ok(!accounts.some((account: { name: string }) => account.name === 'Never'));
    assert.equal((await run(['administrators', 'list', '--account', id])).length, 1);
  });
});

test('a terminal asks for a password twice and does not show it', async (t) => {
  const own = await directoryFor(t);
  const command = `${process.execPath} ${PROGRAM} accounts create --name Ada --admin-email ada@example.com`;
  const env = environment({ DATA_DIR: own });
  const { child, output, closed } = spawnFor(t, 'script', ['-qfec', command, '/dev/null'], env);
  for (const question of ['Password: ', 'Repeat the password: ']) {
    await until(question, () => output.stdout.includes(question));
    child.stdin.write(`${PASSWORD}\r`);
  }
  assert.equal(await closed, 0, output.stdout);
  assert.match(output.stdout, /ada signs in as ada@example.com and is its administrator/);
  assert.ok(!output.stdout.includes(PASSWORD));
});

describe('serve', () => {
  test('prints the setup link to stderr, not to the log', async (t) => {
    const own = await directoryFor(t);
    const service = await serveFor(t, { DATA_DIR: own });
    const link = await until('the link', () => /http:\S+\/setup#token=[\w-]{43}/.exec(service.stderr())?.[0]);
    assert.ok(link.startsWith(service.url));
    assert.ok(!JSON.stringify(service.log).includes('token='));
    assert.equal((await stat(join(own, 'setup-link.txt'))).mode & 0o777, 0o600);
    const browser = new Browser(service);
    const given = { token: link.split('=')[1], name: 'Ada', email: 'ada@example.com', password: PASSWORD };
    await browser.ask('POST', '/admin/setup', { ...given, accountName: 'One' }, 201);
    await service.end();
    const again = await serveFor(t, { DATA_DIR: own });
    assert.ok(!again.stderr().includes('setup#'));
    assert.equal((await new Browser(again).ask('GET', '/admin/setup')).isOpen, false);
  });

  test('creates the administrator from ADMIN_EMAIL and ADMIN_PASSWORD_FILE, and prints no link', async (t) => {
    const own = await directoryFor(t);
    const file = join(own, 'password');
    await writeFile(file, `${PASSWORD}\n`);
    const service = await serveFor(t, { DATA_DIR: own, ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD_FILE: file });
    assert.equal((await signIn(service.url, 'ada@example.com', PASSWORD))[0], 200);
    assert.ok(!service.stderr().includes('setup#'));
    assert.ok(
      service.log.some(
        ({ msg, email }) => /created the first administrator/.test(`${msg}`) && email === 'ada@example.com',
      ),
    );
    assert.ok(!JSON.stringify(service.log).includes(PASSWORD));
  });

  test('stops with an error that names ADMIN_PASSWORD if it is invalid', async (t) => {
    const own = await directoryFor(t);
    const env = environment({ DATA_DIR: own, PORT: '0', ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'short' });
    const { output, closed } = spawnFor(t, process.execPath, [PROGRAM, 'serve'], env);
    assert.equal(await closed, 1);
    assert.match(output.stderr, /^error: [^\n]*ADMIN_PASSWORD[^\n]*8 to 128[^\n]*\n$/);
  });
});

test('administrators remove ends a user’s sessions in the account, but keeps the last administrator', async () => {
  const { id, email } = await createAccountWithAdministrator();
  const member = `member-${email}`;
  const create = [
    'administrators',
    'create',
    '--account',
    id,
    '--email',
    member,
    '--role',
    'member',
    '--password-stdin',
  ];
  await run(create, `${PASSWORD}\n`);
  const [status, browser] = await signIn(url, member, PASSWORD);
  assert.equal(status, 200);
  const remove = (address: string) => ['administrators', 'remove', '--account', id, '--email', address];
  const removed = await run(remove(member.toUpperCase()));
  assert.deepEqual([removed.email, removed.removed], [member, true]);
  assert.equal(await browser.ask('GET', '/admin/session'), null);
  await refused(remove(member), 1, /has no user .*"administrators list" shows its users/);
  await refused(remove(email), 1, /An account needs an administrator/);
});
