import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { startTestService } from '../../testkit/src/service.ts';
import { until } from '../../testkit/src/until.ts';
import { emptyConfiguration, listings, type Settings, shell } from './support/cli.ts';
import { newAccount, service } from './support/service.ts';

const { tenant } = await newAccount();

async function logIn(t: TestContext) {
  const configuration = await emptyConfiguration(t);
  const login = await listings(['login', '--base-url', service.url], configuration, `${tenant.key}\n`);
  const directory = join(configuration.XDG_CONFIG_HOME ?? '', 'property-listings');
  return { configuration, login, directory };
}

/** Logs in through a terminal. @returns its output */
async function typeLogin(t: TestContext, configuration: Settings, address: string): Promise<string> {
  const { child, output, closed } = shell(t, 'listings login', configuration, 80);
  await until('the CLI asks for the address', () => output.stdout.includes('Address of the service'));
  child.stdin.write(`${address}\r`);
  await until('the CLI asks for the key', () => output.stdout.includes('API key: '));
  child.stdin.write(`${tenant.key}\r`);
  assert.equal(await closed, 0, output.stdout);
  return output.stdout;
}

describe('login', () => {
  test('stores a working key in a private file, and later commands use it', async (t) => {
    const { configuration, login, directory } = await logIn(t);
    assert.equal(login.code, 0, login.stderr);
    assert.match(login.stderr, /^Logged in to the account "Hill Country Homes" with the key "Website" \(full access, /);
    assert.ok(!`${login.stdout}${login.stderr}`.includes(tenant.key));
    assert.deepEqual(await readdir(directory), ['settings.json']);
    assert.equal((await stat(join(directory, 'settings.json'))).mode & 0o777, 0o600);
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    assert.match((await listings(['me'], configuration)).stdout, /^account\tHill Country Homes$/m);
  });

  test('stores nothing if the key does not work', async (t) => {
    const configuration = await emptyConfiguration(t);
    const runs: [input: string, url: string, code: number][] = [
      ['', service.url, 2],
      ['plk_short', service.url, 4],
      [generateSecret(), service.url, 4],
      [tenant.key, 'nowhere', 2],
      [tenant.key, 'ftp://example.com', 2],
    ];
    for (const [input, url, expected] of runs) {
      const { code, stderr } = await listings(['login', '--base-url', url], configuration, input);
      assert.equal(code, expected, stderr);
      assert.ok(input === '' || !stderr.includes(input));
      // The advice must not be the command that is already running.
      assert.doesNotMatch(stderr, /listings login/);
    }
    assert.deepEqual(await readdir(configuration.XDG_CONFIG_HOME ?? ''), []);
  });

  test('asks in a terminal, and hides the key', async (t) => {
    const configuration = await emptyConfiguration(t);
    const shown = await typeLogin(t, configuration, `${service.url}/v1`);
    assert.ok(!shown.includes(tenant.key.slice(4)), shown);
    assert.equal((await listings(['me'], configuration)).code, 0);
  });

  test('is undone by logout', async (t) => {
    const { configuration, directory } = await logIn(t);
    assert.equal((await listings(['logout'], configuration)).code, 0);
    assert.deepEqual(await readdir(directory), []);
    assert.equal((await listings(['me'], configuration)).code, 4);
    const again = await listings(['logout'], configuration);
    assert.deepEqual([again.code, again.stderr], [0, 'No key is stored.\n']);
  });

  test('stores nothing if the user answers a question with Ctrl-D', async (t) => {
    const configuration = await emptyConfiguration(t);
    for (const answers of [[], [`${service.url}/v1\r`]]) {
      const { child, output, closed } = shell(t, 'listings login', configuration, 80);
      await until('the CLI asks for the address', () => output.stdout.includes('Address of the service'));
      for (const answer of answers) child.stdin.write(answer);
      await until('the CLI asks the last question', () => answers.length === 0 || output.stdout.includes('API key: '));
      child.stdin.write('\u0004');
      assert.equal(await closed, 1, output.stdout);
      assert.ok(stripVTControlCharacters(output.stdout).endsWith('\r\nerror: Nothing was stored.\r\n'), output.stdout);
    }
    assert.deepEqual(await readdir(configuration.XDG_CONFIG_HOME ?? ''), []);
  });
});

describe('the environment', () => {
  test('overrides the settings, unless a variable is empty', async (t) => {
    const { configuration } = await logIn(t);
    const { key } = await service.createTenant('Other');
    const other = await listings(['me'], { ...configuration, PROPERTY_LISTINGS_API_KEY: key });
    assert.match(other.stdout, /^account\tOther$/m);
    const empty = { PROPERTY_LISTINGS_API_KEY: '', PROPERTY_LISTINGS_BASE_URL: '' };
    assert.match((await listings(['me'], { ...configuration, ...empty })).stdout, /^account\tHill Country Homes$/m);
  });

  test('never sends a stored key to another service', async (t) => {
    const { configuration } = await logIn(t);
    await using elsewhere = await startTestService();
    const settings = { ...configuration, PROPERTY_LISTINGS_BASE_URL: `${elsewhere.url}/v1` };
    const { code, stderr } = await listings(['me'], settings);
    assert.equal(code, 4);
    assert.match(stderr, /The stored key belongs to .* and is not sent to /);
    assert.ok(!elsewhere.logLines.some((line) => line.includes('/v1/me')));
    const same = { ...configuration, PROPERTY_LISTINGS_BASE_URL: `${service.url}/v1/` };
    assert.equal((await listings(['me'], same)).code, 0);
    // `login` accepts this URL and adds /v1, but the variable must be complete.
    const short = await listings(['me'], { ...configuration, PROPERTY_LISTINGS_BASE_URL: service.url });
    assert.match(short.stderr, /^error: PROPERTY_LISTINGS_BASE_URL must end with \/v1, but is /);
  });

  test('reports a broken settings file without its content, and login replaces it', async (t) => {
    const { configuration, directory } = await logIn(t);
    const file = join(directory, 'settings.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('{', ''));
    const { code, stderr } = await listings(['me'], configuration);
    assert.equal(code, 1);
    assert.match(stderr, /settings\.json is not valid JSON\. Run "listings login" to replace it\.\n$/);
    assert.ok(!stderr.includes(tenant.key));
    const { key } = tenant;
    const environment = { PROPERTY_LISTINGS_API_KEY: key, PROPERTY_LISTINGS_BASE_URL: `${service.url}/v1` };
    assert.equal((await listings(['me'], { ...configuration, ...environment })).code, 0);
    await typeLogin(t, configuration, service.url);
    assert.equal((await listings(['me'], configuration)).code, 0);
  });
});
