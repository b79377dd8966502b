import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { plant } from '../../testkit/src/listings.ts';
import { listings, type Settings } from './support/cli.ts';
import { newAccount, service } from './support/service.ts';

const { settings } = await newAccount();

async function create(...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await listings(['create', ...flags], settings);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

async function retrieve(id: string) {
  const { stdout } = await listings(['get', id, '--json'], settings);
  return JSON.parse(stdout);
}

describe('create', () => {
  test('takes fields as flags, and prints the ID', async () => {
    const flags = '--beds 3 --baths 2 --list-price 450000.5 --property-type land --longitude -97.5 --latitude 30';
    const more = [
      '--metadata',
      'agent=Ada = Lovelace',
      '--metadata',
      'floor=3',
      '--photo',
      'https://example.com/1.jpg',
    ];
    const id = await create('--address', '12 Elm Street', ...flags.split(' '), ...more);
    const { address, beds, listPrice, propertyType, longitude, metadata, photos } = await retrieve(id);
    assert.deepEqual(
      { address, beds, listPrice, propertyType, longitude, metadata, photos },
      {
        address: '12 Elm Street',
        beds: 3,
        listPrice: 450000.5,
        propertyType: 'land',
        longitude: -97.5,
        metadata: { agent: 'Ada = Lovelace', floor: '3' },
        photos: [{ url: 'https://example.com/1.jpg' }],
      },
    );
  });

  test('takes JSON from stdin, and flags override --data', async () => {
    const json = JSON.stringify({ address: '1 Oak Lane', beds: 1, baths: 1 });
    const piped = await listings(['create', '--json'], settings, json);
    assert.equal(JSON.parse(piped.stdout).address, '1 Oak Lane', piped.stderr);
    const { beds, address } = await retrieve(await create('--data', json, '--beds', '4'));
    assert.deepEqual([beds, address], [4, '1 Oak Lane']);
  });

  test('with --replace replaces the listing with the same external ID', async () => {
    const flags = ['--address', 'A', '--beds', '1', '--baths', '1', '--external-id', 'MLS/9', '--replace'];
    const id = await create(...flags, '--city', 'Austin');
    assert.equal(await create(...flags), id);
    const { city, version } = await retrieve(id);
    assert.deepEqual([city, version], [undefined, 2]);
    assert.equal((await listings(['create', '--address', 'A', '--replace'], settings)).code, 2);
  });

  test('reports every validation issue with the request ID, and creates nothing', async () => {
    const { code, stdout, stderr } = await listings(['create', '--address', ' ', '--beds', '2.5'], settings);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /address: Must not be blank\.\n {2}beds: Must be a whole number\.\n {2}baths: Is required/);
    assert.match(stderr, /request id: [\w-]+\n$/);
  });

  test('says what is wrong with the JSON', async () => {
    for (const [data, words] of [
      ['{', /is not valid JSON/],
      ['[]', /must be a JSON object/],
      ['@/nonexistent', /Cannot read the file/],
    ] as const) {
      const { code, stderr } = await listings(['create', '--data', data], settings);
      assert.equal(code, 1);
      assert.match(stderr, words);
    }
  });
});

describe('update', () => {
  test('sets and unsets fields, and keeps the rest', async () => {
    const id = await create('--address', 'A', '--beds', '1', '--baths', '1', '--list-price', '5', '--city', 'Austin');
    const { code, stdout } = await listings(['update', id, '--beds', '2', '--unset', 'list-price'], settings);
    assert.equal(code, 0);
    assert.equal(stdout, `${id}\n`);
    const { beds, listPrice, city, version } = await retrieve(id);
    assert.deepEqual({ beds, listPrice, city, version }, { beds: 2, listPrice: undefined, city: 'Austin', version: 2 });
  });

  test('with --if-match changes nothing if the version differs', async () => {
    const id = await create('--address', 'A', '--beds', '1', '--baths', '1');
    await listings(['update', id, '--beds', '2'], settings);
    const { code, stderr } = await listings(['update', id, '--beds', '3', '--if-match', '1'], settings);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: The listing has changed\. \(version_mismatch, 412\)\nThe current version is 2\. .* --if-match 2\.\n/,
    );
    assert.equal((await retrieve(id)).beds, 2);
  });

  test('finds a listing by its external ID, and changes the external ID if the ID is given', async () => {
    const id = await create('--address', 'A', '--beds', '1', '--baths', '1', '--external-id', 'MLS/7');
    const byOwn = await listings(['update', '--external-id', 'MLS/7', '--beds', '2', '--if-match', '1'], settings);
    assert.equal(byOwn.stdout, `${id}\n`, byOwn.stderr);
    assert.equal((await listings(['update', id, '--external-id', 'MLS/8'], settings)).code, 0);
    const { beds, externalId } = await retrieve(id);
    assert.deepEqual([beds, externalId], [2, 'MLS/8']);
    const gone = await listings(['update', '--external-id', 'MLS/7', '--beds', '3'], settings);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /not_found, 404/);
    for (const args of [
      ['--beds', '3'],
      ['--external-id', 'MLS/8'],
    ]) {
      assert.equal((await listings(['update', ...args], settings)).code, 2);
    }
  });

  test('rejects setting and unsetting the same field', async () => {
    const { code, stderr } = await listings(['update', 'x', '--list-price', '5', '--unset', 'listPrice'], settings);
    assert.equal(code, 2);
    assert.match(stderr, /Either set --list-price or unset it/);
  });

  test('without a change is rejected as incorrect usage', async () => {
    const { code, stderr } = await listings(['update', 'lst_1'], settings);
    assert.equal(code, 2);
    assert.match(stderr, /Specify at least one change/);
  });
});

describe('get and delete', () => {
  test('find a listing by its ID or by its external ID', async () => {
    const id = await create('--address', 'A', '--beds', '1', '--baths', '1', '--external-id', 'MLS/1');
    const { stdout } = await listings(['get', '--external-id', 'MLS/1'], settings);
    assert.ok(stdout.startsWith(`id\t${id}\nexternalId\tMLS/1\naddress\tA\n`), stdout);
    const deleted = await listings(['delete', '--external-id', 'MLS/1'], settings);
    assert.deepEqual([deleted.code, deleted.stdout, deleted.stderr], [0, '', 'Deleted MLS/1.\n']);
    const { code, stderr } = await listings(['get', id], settings);
    assert.equal(code, 1);
    assert.match(stderr, /not_found, 404/);
  });

  test('take exactly one ID', async () => {
    for (const args of [['get'], ['delete'], ['get', 'lst_1', '--external-id', 'x']]) {
      assert.equal((await listings(args, settings)).code, 2);
    }
  });
});

describe('list', () => {
  let many: Settings;

  before(async () => {
    const account = await newAccount();
    many = account.settings;
    await plant(service, account.tenant, 2_500);
  });

  test('with --json prints one array of all listings', async () => {
    const { stdout } = await listings(['list', '--json'], many);
    const all = JSON.parse(stdout);
    assert.equal(all.length, 2_500);
    assert.deepEqual([all[0].beds, all.at(-1).beds], [2_500, 1]);
  });

  test('without listings prints an empty array with --json, and otherwise nothing', async () => {
    const empty = (await newAccount()).settings;
    assert.equal((await listings(['list', '--json'], empty)).stdout, '[]\n');
    assert.equal((await listings(['list'], empty)).stdout, '');
  });

  test('with --limit prints up to that number, from several pages if needed', async () => {
    for (const limit of [1, 1_001, 9_999]) {
      const { stdout } = await listings(['list', '--json', '--limit', `${limit}`, '--sort', 'beds'], many);
      const beds = JSON.parse(stdout).map((listing: { beds: number }) => listing.beds);
      assert.deepEqual(
        beds,
        Array.from({ length: Math.min(limit, 2_500) }, (_, index) => index + 1),
      );
      const csv = await listings(['list', '--csv', '--limit', `${limit}`, '--sort', 'beds', '--fields', 'beds'], many);
      assert.deepEqual(csv.stdout.trim().split(/\r?\n/), ['beds', ...beds.map(String)]);
    }
  });

  test('takes filters, and prints tab-separated lines in a pipe', async () => {
    const flags = '--beds-gte 3 --beds-lt 5 --status active,pending --fields id,beds --sort=-beds';
    const { stdout } = await listings(['list', ...flags.split(' ')], many);
    assert.equal(stdout, `lst_${'4'.padStart(26, '0')}\t4\nlst_${'3'.padStart(26, '0')}\t3\n`);
  });

  test('suggests a value for a misspelled one, and names the flag', async () => {
    const { code, stderr } = await listings(['list', '--status', 'activ'], many);
    assert.equal(code, 1);
    assert.match(stderr, /--status: There is no "activ"\. Did you mean "active"\?/);
  });
});
