import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createTenantByCommand, REPOSITORY, runCommandWarm } from '../../../testkit/src/process.ts';
import { createDirectory } from '../../../testkit/src/service.ts';

const directory = await createDirectory();
after(() => rm(directory, { recursive: true, force: true }));
const settings = { DATA_DIR: directory };
const { accountId } = await createTenantByCommand(settings);
const run = (...args: string[]) => runCommandWarm(args, settings);
const keysCreate = (...args: string[]) => ['keys', 'create', '--account', accountId, '--name', 'Key', ...args];

describe('--help prints the usage to stdout', { concurrency: 2 }, () => {
  for (const command of [
    '',
    'serve',
    'check',
    'support-bundle',
    'usage',
    'backup',
    'restore',
    'migrate',
    'accounts',
    'accounts create',
    'accounts list',
    'accounts update',
    'accounts delete',
    'administrators',
    'administrators create',
    'administrators list',
    'administrators invite',
    'administrators reset-password',
    'administrators remove',
    'keys',
    'keys create',
    'keys list',
    'keys delete',
  ]) {
    test(`property-listings ${command} --help`, async () => {
      const { code, stdout, stderr } = await run(...command.split(' ').filter(Boolean), '--help');
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.ok(stdout.startsWith(`Usage: ${`property-listings ${command}`.trim()}`), stdout);
    });
  }
});

test('--help marks required options', async () => {
  const { stdout } = await run('keys', 'create', '--help');
  const required = stdout.split('\n').filter((line) => line.endsWith('(required)'));
  assert.deepEqual(
    required.map((line) => line.trim().split(' ')[0]),
    ['--account', '--name'],
  );
});

test('--version prints the package’s version', async () => {
  const manifest = JSON.parse(await readFile(join(REPOSITORY, 'server', 'package.json'), 'utf8'));
  assert.equal((await run('--version')).stdout, `${manifest.version}\n`);
});

const WRONG_USAGE: [string, string[], RegExp][] = [
  ['no command at all', [], /Usage: property-listings/],
  ['accounts without a command', ['accounts'], /Usage: property-listings accounts/],
  ['keys without a command', ['keys'], /Usage: property-listings keys/],
  ['an unknown command', ['srve'], /unknown command 'srve'/],
  ['an unknown command of keys', ['keys', 'remove'], /unknown command 'remove'/],
  ['an unknown option', ['accounts', 'list', '--jsn'], /unknown option '--jsn'/],
  ['an option of another command', ['serve', '--json'], /unknown option '--json'/],
  ['a missing option', ['accounts', 'create'], /--name <name>' not specified/],
  ['an option without its value', ['accounts', 'create', '--name'], /--name <name>' argument missing/],
  ['accounts update without an account', ['accounts', 'update', '--currency', 'EUR'], /give one account id/],
  ['accounts update with nothing to change', ['accounts', 'update', accountId], /give at least one of --name/],
  ['accounts delete without an account', ['accounts', 'delete', '--yes'], /give one account id/],
  ['two accounts', ['accounts', 'delete', accountId, '--account', 'acc_x', '--yes'], /give one account id/],
  ['keys create without an account', ['keys', 'create', '--name', 'Key'], /--account <id>' not specified/],
  ['keys create without a name', ['keys', 'create', '--account', accountId], /--name <name>' not specified/],
  ['keys list without an account', ['keys', 'list'], /--account <id>' not specified/],
  ['keys delete without an id', ['keys', 'delete'], /missing required argument 'key-id'/],
  ['arguments too many', ['keys', 'delete', 'key_a', 'key_b'], /too many arguments/],
  ['an argument for migrate', ['migrate', 'now'], /too many arguments/],
  ['an argument for serve', ['serve', 'now'], /too many arguments/],
  ['copy without a database', ['copy'], /Give --from file:PATH, or .* COPY_FROM_URL/],
  ['an invalid currency', ['accounts', 'update', accountId, '--currency', 'eur'], /ISO 4217 code in uppercase/],
  ['invalid units', ['accounts', 'update', accountId, '--area-units', 'acres'], /Allowed choices are sqft, sqm/],
  [
    'an invalid quota of listings',
    ['accounts', 'create', '--name', 'A', '--listings-max', '5.5'],
    /number such as 50000/,
  ],
  [
    'an invalid quota of bytes',
    ['accounts', 'update', accountId, '--bytes-max', '5 potatoes'],
    /such as 500MB, or off/,
  ],
  ['an invalid rate limit', ['accounts', 'update', accountId, '--rate-limit', '1/25h'], /period of up to 24h/],
];

for (const time of [
  'tomorrow',
  '',
  '2099',
  '2099-1-1',
  '2099-13-01',
  '2099-02-30',
  '2099-02-29T00:00:00Z',
  '2099-01-31T25:00:00Z',
  '2099-01-31T12:00:00',
  '2099-01-31 12:00:00Z',
  '4070908800000',
]) {
  WRONG_USAGE.push([
    `--expires-at "${time}"`,
    keysCreate('--expires-at', time),
    /It must be a time, such as 2027-01-31T12:00:00Z/,
  ]);
}

describe('incorrect usage exits with 2, explains it on stderr, and does nothing', { concurrency: 2 }, () => {
  for (const [name, args, expected] of WRONG_USAGE) {
    test(name, async () => {
      const { code, stdout, stderr } = await run(...args);
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /^\s+at /m, 'no stack trace');
      assert.equal(stdout, '');
      assert.equal(code, 2);
    });
  }
});

const UNKNOWN_ID = 'acc_00000000000000000000000000';
const FAILURES: [string, string[], RegExp][] = [
  ['a key for an unknown account', ['keys', 'create', '--account', UNKNOWN_ID, '--name', 'Key'], /no account acc_0/],
  ['the keys of an unknown account', ['keys', 'list', '--account', UNKNOWN_ID], /no account acc_0/],
  ['an unknown key', ['keys', 'delete', 'key_unknown'], /no key key_unknown/],
  ['an account as a key', ['keys', 'delete', accountId], /no key acc_/],
  ['a past expiry', keysCreate('--expires-at', '2020-01-31T12:00:00Z'), /future/],
  ['a blank account name', ['accounts', 'create', '--name', '  '], /1 to 100 characters/],
  ['an empty account name', ['accounts', 'create', '--name', ''], /1 to 100 characters/],
  ['an account name of 101 characters', ['accounts', 'create', '--name', 'x'.repeat(101)], /1 to 100 characters/],
  ['an account name with a line feed', ['accounts', 'create', '--name', 'a\nb'], /control characters/],
  ['a blank key name', ['keys', 'create', '--account', accountId, '--name', ' '], /1 to 100 characters/],
  ['a key name of 101', ['keys', 'create', '--account', accountId, '--name', 'x'.repeat(101)], /1 to 100 characters/],
];

describe('an impossible command exits with 1, prints one line to stderr, and does nothing', { concurrency: 2 }, () => {
  for (const [name, args, expected] of FAILURES) {
    test(name, async () => {
      const { code, stdout, stderr } = await run(...args, '--json');
      const [database, error = '', ...rest] = stderr.split('\n');
      assert.equal(database, `database: ${join(directory, 'listings.db')}`);
      assert.match(error, /^error: /);
      assert.match(error, expected);
      assert.deepEqual(rest, ['']);
      assert.equal(stdout, '');
      assert.equal(code, 1);
    });
  }
});

test('none of these commands changes anything', async () => {
  assert.equal(JSON.parse((await run('accounts', 'list', '--json')).stdout).length, 1);
  assert.equal(JSON.parse((await run('keys', 'list', '--account', accountId, '--json')).stdout).length, 1);
  assert.deepEqual(await readdir(directory), ['listings.db']);
});
