import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, mock, test } from 'node:test';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { linesOf, readError } from '../../../testkit/src/replies.ts';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';
import { createAccount, deleteAccount } from '../../src/domain/accounts.ts';
import { renewSetupLink } from '../../src/domain/setup.ts';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: PASSWORD };

function tokenOf({ setupUrl }: TestService): string {
  return setupUrl?.split('#token=')[1] ?? '';
}

test('the link lies in a file that only the operator can read, and leads to the setup page', async () => {
  await using service = await startTestService();
  const { isOpen, needsAccountName, file } = await new Browser(service).ask('GET', '/admin/setup');
  // Who asks may be anybody, and need not know the machine's directories.
  assert.deepEqual([isOpen, needsAccountName, file], [true, true, 'setup-link.txt']);
  const path = join(service.directory, file);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(await readFile(path, 'utf8'), `${service.url}/setup#token=${tokenOf(service)}\n`);
  assert.ok(!service.logLines.join('').includes(tokenOf(service)));
});

test('whoever has the link becomes the administrator of a new account, is signed in, and the link is over', async () => {
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

test('where there are accounts the first administrator gets them all, and no name is asked for', async () => {
  await using service = await startTestService();
  for (const name of ['One', 'Two']) await createAccount(service.database, name);
  const browser = new Browser(service);
  assert.equal((await browser.ask('GET', '/admin/setup')).needsAccountName, false);
  const offer = { accountNames: ['One', 'Two'], hasMoreAccounts: false };
  assert.deepEqual(await browser.ask('POST', '/admin/setup/preview', { token: tokenOf(service) }), offer);
  const refused = await browser.send('POST', '/admin/setup/preview', { token: 'x' });
  assert.doesNotMatch((await readError(refused, 403, 'forbidden')).message, /One|Two/);
  const { accounts } = await browser.ask('POST', '/admin/setup', { token: tokenOf(service), ...ADA }, 201);
  assert.deepEqual(linesOf(accounts, 'name', 'role'), ['One administrator', 'Two administrator']);
});

test('of many who open the link at once exactly one wins, and the others leave nothing behind', async () => {
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

describe('no administrator is made', () => {
  const refused = async (change: object, status: number, code: string) => {
    await using service = await startTestService();
    const browser = new Browser(service);
    const given = { token: tokenOf(service), ...ADA, accountName: 'One', ...change };
    const error = await readError(await browser.send('POST', '/admin/setup', given), status, code);
    assert.equal((await browser.ask('GET', '/admin/setup')).isOpen, true);
    assert.equal(browser.cookies.size, 0);
    return error;
  };

  test('with another token', async () => {
    const { message } = await refused({ token: 'x' }, 403, 'forbidden');
    assert.match(message, /each start of the service prints a new one/);
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

  test('without a name for the account where there is none', async () => {
    const { details } = await refused({ accountName: undefined }, 422, 'validation_failed');
    assert.deepEqual(linesOf(details, 'field', 'code'), ['accountName required']);
  });

  test('with a password that is guessed first', async () => {
    for (const password of ['12345678', 'Password']) {
      const { details } = await refused({ password }, 422, 'validation_failed');
      assert.deepEqual(
        details?.map(({ field, code }) => [field, code]),
        [['password', 'invalid_choice']],
      );
    }
  });

  test('with a password that is made of what everybody knows', async () => {
    for (const password of ['ada@example.com', 'Hilltop Homes 1']) {
      const { details } = await refused({ password, accountName: 'Hilltop Homes' }, 422, 'validation_failed');
      assert.deepEqual(linesOf(details, 'field', 'code'), ['password invalid_choice']);
    }
  });

  test('with a name, an address or a password that cannot be: all of them are told', async () => {
    const { details } = await refused({ name: ' ', email: 'ada', password: 'short' }, 422, 'validation_failed');
    assert.deepEqual(linesOf(details, 'field'), ['name', 'email', 'password']);
  });
});

describe('ADMIN_EMAIL and ADMIN_PASSWORD', () => {
  test('make the first administrator at the start, and no link', async () => {
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

  test('stop the start with words about them if they cannot be used', async () => {
    const options = { firstAdministrator: { email: 'ada@example.com', password: 'short' } };
    await assert.rejects(startTestService(options), /^ConfigError|ADMIN_EMAIL and ADMIN_PASSWORD.*8 to 128/);
  });
});

test('a link is offered again when the last administrator is gone with their account', async () => {
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
