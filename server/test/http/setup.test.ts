import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, mock, test } from 'node:test';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { linesOf, readError } from '../../../testkit/src/replies.ts';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';
import { createAccount, deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { renewSetupLink } from '../../src/domain/accounts/setup.ts';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: PASSWORD };

function tokenOf({ setupUrl }: TestService): string {
  return setupUrl?.split('#token=')[1] ?? '';
}

test('the setup link is in a file that only the operator can read', async () => {
  await using service = await startTestService();
  const { isOpen, needsAccountName, file } = await new Browser(service).ask('GET', '/admin/setup');
  // The response is public and must not show the machine's directories.
  assert.deepEqual([isOpen, needsAccountName, file], [true, true, 'setup-link.txt']);
  const path = join(service.directory, file);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(await readFile(path, 'utf8'), `${service.url}/setup#token=${tokenOf(service)}\n`);
  assert.ok(!service.logLines.join('').includes(tokenOf(service)));
});

test('the link creates an administrator with an account, signs them in, and expires', async () => {
  await using service = await startTestService();
  const browser = new Browser(service);
  const given = { token: tokenOf(service), ...ADA, accountName: 'Hill Country Homes' };
  const session = await browser.ask('POST', '/admin/setup', given, 201);
  assert.deepEqual(
    [session.user.email, session.account.name, session.account.role],
    ['ada@example.com', 'Hill Country Homes', 'administrator'],
  );
  assert.deepEqual(await browser.ask('GET', '/admin/session'), session);
  assert.deepEqual(await browser.ask('GET', '/admin/setup'), { isOpen: false, needsAccountName: false, file: null });
  await assert.rejects(stat(join(service.directory, 'setup-link.txt')), /ENOENT/);
  const again = new Browser(service);
  const other = { ...given, email: 'mallory@example.com' };
  await readError(await again.send('POST', '/admin/setup', other), 409, 'conflict');
  assert.equal(again.cookies.size, 0);
  assert.equal(await renewSetupLink(service.database), undefined);
});

test('the first administrator gets all existing accounts and needs no account name', async () => {
  await using service = await startTestService();
  for (const name of ['One', 'Two']) await createAccount(service.database, name);
  const browser = new Browser(service);
  assert.equal((await browser.ask('GET', '/admin/setup')).needsAccountName, false);
  const offer = { accountNames: ['One', 'Two'], hasMoreAccounts: false };
  assert.deepEqual(await browser.ask('POST', '/admin/setup/preview', { token: tokenOf(service) }), offer);
  const rejected = await browser.send('POST', '/admin/setup/preview', { token: 'x' });
  assert.doesNotMatch((await readError(rejected, 403, 'forbidden')).message, /One|Two/);
  const { accounts } = await browser.ask('POST', '/admin/setup', { token: tokenOf(service), ...ADA }, 201);
  assert.deepEqual(linesOf(accounts, 'name', 'role'), ['One administrator', 'Two administrator']);
});

test('if many users open the link at once, exactly one succeeds, and the others store nothing', async () => {
  await using service = await startTestService();
  const people = Array.from({ length: 6 }, (_, index) => ({ ...ADA, email: `person${index}@example.com` }));
  const responses = await Promise.all(
    people.map((person) =>
      new Browser(service).send('POST', '/admin/setup', { token: tokenOf(service), ...person, accountName: 'One' }),
    ),
  );
  const statuses = responses.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409]);
  const winner = people[responses.findIndex(({ status }) => status === 201)];
  for (const { email } of people) {
    const browser = new Browser(service);
    const response = await browser.send('POST', '/admin/auth/sign-in/email', { email, password: PASSWORD });
    assert.equal(response.status, email === winner?.email ? 200 : 401);
  }
});

describe('setup fails', () => {
  const rejected = async (change: object, status: number, code: string) => {
    await using service = await startTestService();
    const browser = new Browser(service);
    const given = { token: tokenOf(service), ...ADA, accountName: 'One', ...change };
    const error = await readError(await browser.send('POST', '/admin/setup', given), status, code);
    assert.equal((await browser.ask('GET', '/admin/setup')).isOpen, true);
    assert.equal(browser.cookies.size, 0);
    return error;
  };

  test('with an unknown token', async () => {
    const { message } = await rejected({ token: 'x' }, 403, 'forbidden');
    assert.match(message, /the service prints a new one each time it starts/);
  });

  test('with the link of an earlier start', async () => {
    await using service = await startTestService();
    await renewSetupLink(service.database);
    const given = { token: tokenOf(service), ...ADA, accountName: 'One' };
    await readError(await new Browser(service).send('POST', '/admin/setup', given), 403, 'forbidden');
  });

  test('after 30 minutes', async () => {
    await using service = await startTestService();
    const given = { token: tokenOf(service), ...ADA, accountName: 'One' };
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 30 * 60 * 1000 + 1 });
    const response = await new Browser(service).send('POST', '/admin/setup', given).finally(() => mock.timers.reset());
    assert.match((await readError(response, 403, 'forbidden')).message, /30 minutes/);
  });

  test('without an account name if no account exists', async () => {
    const { details } = await rejected({ accountName: undefined }, 422, 'validation_failed');
    assert.deepEqual(linesOf(details, 'field', 'code'), ['accountName required']);
  });

  test('with a common password', async () => {
    for (const password of ['12345678', 'Password']) {
      const { details } = await rejected({ password }, 422, 'validation_failed');
      assert.deepEqual(linesOf(details, 'field', 'code'), ['password invalid_choice']);
    }
  });

  test("with a password made of the user's own data", async () => {
    for (const password of ['ada@example.com', 'Hilltop Homes 1']) {
      const { details } = await rejected({ password, accountName: 'Hilltop Homes' }, 422, 'validation_failed');
      assert.deepEqual(linesOf(details, 'field', 'code'), ['password invalid_choice']);
    }
  });

  test('with an invalid name, address, and password, and all are named', async () => {
    const { details } = await rejected({ name: ' ', email: 'ada', password: 'short' }, 422, 'validation_failed');
    assert.deepEqual(linesOf(details, 'field'), ['name', 'email', 'password']);
  });
});

describe('ADMIN_EMAIL and ADMIN_PASSWORD', () => {
  test('create the first administrator at startup, without a setup link', async () => {
    const firstAdministrator = { email: ' Ada@Example.com', password: PASSWORD };
    await using service = await startTestService({ firstAdministrator });
    assert.equal(service.setupUrl, undefined);
    const browser = new Browser(service);
    const given = { email: ADA.email, password: PASSWORD };
    const { account } = await browser.ask('POST', '/admin/auth/sign-in/email', given);
    assert.equal(account.name, 'My company');
    await assert.rejects(stat(join(service.directory, 'setup-link.txt')), /ENOENT/);
    assert.ok(!service.logLines.join('').includes(PASSWORD));
  });

  test('stop the startup with an error that names them if they are invalid', async () => {
    const options = { firstAdministrator: { email: 'ada@example.com', password: 'short' } };
    await assert.rejects(startTestService(options), /^ConfigError|ADMIN_EMAIL and ADMIN_PASSWORD.*8 to 128/);
  });
});

test("a setup link is available again after the last administrator's account is deleted", async () => {
  await using service = await startTestService();
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  assert.equal((await browser.ask('GET', '/admin/setup')).isOpen, false);
  await deleteAccount(service.database, person.accountId);
  assert.equal((await browser.ask('GET', '/admin/setup')).isOpen, true);
  assert.equal(await browser.ask('GET', '/admin/session'), null);
  const token = await renewSetupLink(service.database);
  const given = { token, name: 'Ada', email: person.email, password: PASSWORD, accountName: 'New' };
  await browser.ask('POST', '/admin/setup', given, 201);
});
