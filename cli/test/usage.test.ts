import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findFreePort } from '../../server/src/lib/free-port.ts';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { startTestService, type Tenant, type TestService } from '../../testkit/src/service.ts';
import { listings, type Settings, settingsOf, shell } from './support/cli.ts';

let service: TestService;
let tenant: Tenant;
let settings: Settings;

before(async () => {
  service = await startTestService();
  tenant = await service.createTenant();
  settings = settingsOf(service, tenant);
});

after(() => service[Symbol.asyncDispose]());

describe('what ends a command', () => {
  const CALLING = [
    ['list'],
    ['get', 'lst_1'],
    ['create', '--address', 'A'],
    ['update', 'lst_1', '--beds', '1'],
    ['delete', 'lst_1'],
    ['import', '/dev/null', '--format', 'csv'],
    ['export'],
    ['events'],
    ['me'],
  ];

  test('a missing key ends each that calls the service with 4, in words', async () => {
    for (const args of CALLING) {
      const { code, stdout, stderr } = await listings(args, { PROPERTY_LISTINGS_API_KEY: '' });
      const words = 'error: This needs an API key. Run "listings login", or set PROPERTY_LISTINGS_API_KEY.\n';
      assert.deepEqual([code, stdout, stderr], [4, '', words], args.join(' '));
    }
  });

  test('a key that is mistyped ends it with 4 before any request, and one that is refused after it', async () => {
    const seen = service.logLines.length;
    const cut = tenant.key.slice(0, -1);
    const mistyped = await listings(['me'], { ...settings, PROPERTY_LISTINGS_API_KEY: cut });
    assert.equal(mistyped.code, 4);
    assert.match(mistyped.stderr, /has 41 characters instead of 42; copy it again/);
    assert.equal(service.logLines.length, seen);
    const other = generateSecret();
    for (const args of [['me'], ['list', '--csv']]) {
      const refused = await listings(args, { ...settings, PROPERTY_LISTINGS_API_KEY: other });
      assert.equal(refused.code, 4);
      assert.match(
        refused.stderr,
        /^error: Invalid or missing API key: There is no such API key; it may have been deleted \(unauthorized, 401\)\n.* is from PROPERTY_LISTINGS_API_KEY/,
      );
      for (const key of [cut, other]) assert.ok(!`${mistyped.stderr}${refused.stderr}`.includes(key));
    }
  });

  test('a service that is not there ends it with 1, in words', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    for (const args of [['me'], ['list'], ['list', '--csv'], ['export']]) {
      const { code, stdout, stderr } = await listings(args, settingsOf({ url }, tenant));
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(
        stderr,
        /^error: .*ECONNREFUSED.*\nIs the service running, and is the address in PROPERTY_LISTINGS_BASE_URL right\?/,
      );
      assert.doesNotMatch(stderr, /^ {4}at /m);
    }
  });

  test('an address in the environment that cannot be one is told by its variable', async () => {
    const { key } = tenant;
    const runs: [value: string, words: string][] = [
      [service.url, `is ${service.url}/: /v1 is missing at its end.`],
      ['http://ada:secret@127.0.0.1/v1', 'must not contain a user or a password.'],
      [key, 'is no address such as https://listings.example.com/v1.'],
    ];
    for (const [value, words] of runs) {
      const { code, stderr } = await listings(['me'], { ...settings, PROPERTY_LISTINGS_BASE_URL: value });
      assert.deepEqual([code, stderr], [1, `error: PROPERTY_LISTINGS_BASE_URL ${words}\n`]);
    }
  });

  test('words that are for who writes programs are not shown', async () => {
    const two = await listings(['create', '--address', ' '], settings);
    assert.match(two.stderr, /^error: 3 fields are not valid\. \(/);
    const time = await listings(['list', '--updated-at-gte', 'x'], settings);
    assert.match(time.stderr, /--updated-at-gte: Must be a date .*Z\. \(/);
    assert.ok(!`${two.stderr}${time.stderr}`.match(/%2B|details/));
  });

  test('wrong usage ends it with 2, and says what was meant', async () => {
    const runs: [args: string[], words: RegExp][] = [
      [['lst'], /Did you mean list\?/],
      [['list', '--stauts', 'active'], /Did you mean --status\?/],
      [['list', '--limit', '0'], /whole number from 1/],
      [['list', '--json', '--csv'], /Choose one/],
      [['list', '--beds-gte', 'three'], /must be a number/],
      [['create', '--beds', '1,000'], /must be a number/],
      [['create', '--metadata', 'x'], /agent=Ada/],
      [['update', 'lst_1', '--unset', 'bedrooms'], /no field "bedrooms"/],
      [['get'], /Name one listing/],
      [['export', 'a.pdf'], /Give --format/],
      [['export', '--format', 'pdf'], /ndjson, csv, json, geojson/],
      [['events', '--after', 'x'], /whole number from 0/],
      [['completion', 'tcsh'], /bash, zsh, fish/],
    ];
    for (const [args, words] of runs) {
      const { code, stdout, stderr } = await listings(args, settings);
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      assert.match(stderr, words);
      assert.match(stderr, /\(--help shows what can be given\)/);
    }
  });

  test('a key that was put into the wrong place is not shown', async () => {
    const { key } = tenant;
    const runs = [
      [key],
      ['list', `--api-key=${key}`],
      ['list', '--limit', key],
      ['login', '--base-url', key],
      ['update', 'lst_1', '--unset', key],
      ['completion', key],
    ];
    for (const args of runs) {
      const { code, stdout, stderr } = await listings(args, settings);
      assert.equal(code, 2, stderr);
      assert.ok(!`${stdout}${stderr}`.includes(key.slice(8)), stderr);
    }
  });

  test('nothing but its name shows what there is', async () => {
    const { code, stdout } = await listings([]);
    assert.equal(code, 0);
    for (const { 0: name = '' } of CALLING) assert.match(stdout, new RegExp(`^ {2}${name}\\b`, 'm'));
    assert.equal((await listings(['--version'])).stdout, '0.1.0\n');
  });

  test('a key that may only read is told so', async () => {
    const reader = settingsOf(service, await service.createTenant('Reader', 'read'));
    const { code, stderr } = await listings(['create', '--address', 'A', '--beds', '1', '--baths', '1'], reader);
    assert.equal(code, 1);
    assert.match(stderr, /insufficient_scope, 403\)\nThe key is from PROPERTY_LISTINGS_API_KEY/);
  });
});

describe('--curl', () => {
  test('prints the request with the key masked, and sends nothing', async () => {
    const seen = service.logLines.length;
    const runs: [args: string[], start: string, part: string][] = [
      [['me'], 'curl ', '/v1/me'],
      [['list', '--beds-gte', '3', '--json'], 'curl ', '/v1/listings?beds%5Bgte%5D=3'],
      [['list', '--csv'], 'curl ', "-H 'Accept: text/csv'"],
      [['get', 'lst_1'], 'curl ', '/v1/listings/lst_1'],
      [['create', '--address', "O'Hara"], 'curl -X POST ', `--data-raw '{"address":"O'\\''Hara"}'`],
      [['update', 'lst_1', '--unset', 'city', '--if-match', '2'], 'curl -X PATCH ', `-H 'If-Match: "2"'`],
      [['delete', 'lst_1'], 'curl -X DELETE ', "-H 'Idempotency-Key: "],
      [['import', '/nonexistent.csv'], 'curl -X POST ', "--upload-file '/nonexistent.csv'"],
      [['export', '/nonexistent/a.geojson'], 'curl ', "-H 'Accept: application/geo+json'"],
      [['export', "/nonexistent/Ada's.ndjson"], 'curl ', "-o '/nonexistent/Ada'\\''s.ndjson'"],
      [['events', '--follow', '--after', '7'], 'curl ', '/v1/events?after=7&wait=25'],
      [['create', '--address', tenant.key], 'curl -X POST ', `"address":"${tenant.key.slice(0, 8)}…"`],
    ];
    for (const [args, start, part] of runs) {
      const { code, stdout, stderr } = await listings([...args, '--curl'], settings);
      assert.equal(code, 0, stderr);
      assert.ok(stdout.startsWith(start) && stdout.includes(part), stdout);
      assert.ok(stdout.includes('-H "Authorization: Bearer $PROPERTY_LISTINGS_API_KEY"'), stdout);
      assert.equal(stderr, '');
      assert.ok(!`${stdout}${stderr}`.includes(tenant.key));
    }
    assert.equal(service.logLines.length, seen);
  });

  test('prints a command that runs, and gives what the program gives', async (t) => {
    const { output, closed } = shell(t, `eval "$(listings me --curl) -s"; echo; listings me --json`, settings);
    assert.equal(await closed, 0, output.stderr);
    const [byCurl, byProgram] = output.stdout.split('\n');
    assert.equal(byCurl, byProgram);
  });
});
