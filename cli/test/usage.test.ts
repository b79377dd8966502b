import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { findFreePort } from '../../testkit/src/ports.ts';
import { listings, settingsOf, shell } from './support/cli.ts';
import { newAccount, service } from './support/service.ts';

const { tenant, settings } = await newAccount();

describe('exit codes', () => {
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

  test('a missing key exits with 4 for each command that calls the service', async () => {
    for (const args of CALLING) {
      const { code, stdout, stderr } = await listings(args, { PROPERTY_LISTINGS_API_KEY: '' });
      const words = 'error: An API key is required. Run "listings login", or set PROPERTY_LISTINGS_API_KEY.\n';
      assert.deepEqual([code, stdout, stderr], [4, '', words], args.join(' '));
    }
  });

  test('a malformed key exits with 4 before any request, and a rejected key with 4 as well', async () => {
    const seen = service.logLines.length;
    const cut = tenant.key.slice(0, -1);
    const mistyped = await listings(['me'], { ...settings, PROPERTY_LISTINGS_API_KEY: cut });
    assert.equal(mistyped.code, 4);
    assert.match(mistyped.stderr, /has 41 characters instead of 42; copy it again/);
    assert.equal(service.logLines.length, seen);
    const other = generateSecret();
    for (const args of [['me'], ['list', '--csv']]) {
      const rejected = await listings(args, { ...settings, PROPERTY_LISTINGS_API_KEY: other });
      assert.equal(rejected.code, 4);
      assert.match(
        rejected.stderr,
        /^error: Invalid or missing API key: There is no such API key; it may have been deleted \(unauthorized, 401\)\n.* comes from PROPERTY_LISTINGS_API_KEY/,
      );
      for (const key of [cut, other]) assert.ok(!`${mistyped.stderr}${rejected.stderr}`.includes(key));
    }
  });

  test('an unreachable service exits with 1, with advice and without a stack trace', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    for (const args of [['me'], ['list'], ['list', '--csv'], ['export']]) {
      const { code, stdout, stderr } = await listings(args, settingsOf({ url }, tenant));
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(
        stderr,
        /^error: .*ECONNREFUSED.*\nCheck that the service is running and that PROPERTY_LISTINGS_BASE_URL is correct\./,
      );
      assert.doesNotMatch(stderr, /^ {4}at /m);
    }
  });

  test('an invalid address in the environment exits with 1, and the error names the variable', async () => {
    const { key } = tenant;
    const runs: [value: string, words: string][] = [
      [service.url, `must end with /v1, but is ${service.url}/.`],
      ['http://ada:secret@127.0.0.1/v1', 'must not contain a user or a password.'],
      [key, 'must be an address such as https://listings.example.com/v1.'],
    ];
    for (const [value, words] of runs) {
      const { code, stderr } = await listings(['me'], { ...settings, PROPERTY_LISTINGS_BASE_URL: value });
      assert.deepEqual([code, stderr], [1, `error: PROPERTY_LISTINGS_BASE_URL ${words}\n`]);
    }
  });

  test('errors omit advice for programmers', async () => {
    const two = await listings(['create', '--address', ' '], settings);
    assert.match(two.stderr, /^error: 3 fields are not valid\. \(/);
    const time = await listings(['list', '--updated-at-gte', 'x'], settings);
    assert.match(time.stderr, /--updated-at-gte: Must be a date .*Z\. \(/);
    assert.ok(!`${two.stderr}${time.stderr}`.match(/%2B|details/));
  });

  test('incorrect usage exits with 2 and a suggestion', async () => {
    const runs: [args: string[], words: RegExp][] = [
      [['lst'], /Did you mean list\?/],
      [['list', '--stauts', 'active'], /Did you mean --status\?/],
      [['list', '--limit', '0'], /whole number, at least 1/],
      [['webhooks', 'deliveries', 'whk_1', '--limit', '0'], /whole number, at least 1/],
      [['list', '--json', '--csv'], /Choose either/],
      [['list', '--beds-gte', 'three'], /must be a number/],
      [['create', '--beds', '1,000'], /must be a number/],
      [['create', '--metadata', 'x'], /agent=Ada/],
      [['update', 'lst_1', '--unset', 'bedrooms'], /Cannot unset "bedrooms"/],
      [['get'], /Specify one listing/],
      [['export', 'a.pdf'], /Set --format/],
      [['export', '--format', 'pdf'], /ndjson, csv, json, geojson/],
      [['events', '--after', 'x'], /whole number, at least 0/],
      [['completion', 'tcsh'], /bash, zsh, fish/],
    ];
    for (const [args, words] of runs) {
      const { code, stdout, stderr } = await listings(args, settings);
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      assert.match(stderr, words);
      assert.match(stderr, /\(run with --help for usage\)/);
    }
  });

  test('a key in the wrong place is not shown', async () => {
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

  test('without arguments, the CLI lists its commands and exits with 0', async () => {
    const { code, stdout } = await listings([]);
    assert.equal(code, 0);
    for (const { 0: name = '' } of CALLING) assert.match(stdout, new RegExp(`^ {2}${name}\\b`, 'm'));
    assert.equal((await listings(['--version'])).stdout, '0.2.0\n');
  });

  test('a write with a read-only key exits with 1 and advice', async () => {
    const reader = settingsOf(service, await service.createTenant('Reader', 'read'));
    const { code, stderr } = await listings(['create', '--address', 'A', '--beds', '1', '--baths', '1'], reader);
    assert.equal(code, 1);
    assert.match(stderr, /insufficient_scope, 403\)\nThe key comes from PROPERTY_LISTINGS_API_KEY/);
  });
});

describe('--curl', () => {
  test('prints the request with the key masked, and sends nothing', async () => {
    const seen = service.logLines.length;
    const runs: [args: string[], start: string, part: string][] = [
      [['me'], 'curl ', '/v1/me'],
      [['list', '--beds-gte', '3', '--json'], 'curl ', '/v1/listings?beds%5Bgte%5D=3'],
      [['list', '--beds', '3,4', '--city', 'Austin'], 'curl ', '?city=Austin&beds=3%2C4&'],
      [['list', '--city', 'Austin', '--city', 'Waco'], 'curl ', '?city%5B%5D=Austin&city%5B%5D=Waco&'],
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

  test('prints a command that runs, with the same result', async (t) => {
    const { output, closed } = shell(t, `eval "$(listings me --curl) -s"; echo; listings me --json`, settings);
    assert.equal(await closed, 0, output.stderr);
    const [byCurl, byProgram] = output.stdout.split('\n');
    assert.equal(byCurl, byProgram);
  });
});
