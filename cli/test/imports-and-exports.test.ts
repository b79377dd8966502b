import assert from 'node:assert/strict';
import { chmod, lstat, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { plant } from '../../testkit/src/listings.ts';
import { findFreePort } from '../../testkit/src/ports.ts';
import { directoryFor, hasEnded } from '../../testkit/src/serving.ts';
import { until } from '../../testkit/src/until.ts';
import { listings, type Settings, standInFor, start } from './support/cli.ts';
import { newAccount, service } from './support/service.ts';

async function listingsOf(settings: Settings) {
  return JSON.parse((await listings(['list', '--json'], settings)).stdout);
}

const ROWS = 'address,beds,baths,externalId\nA,1,1,x1\nB,many,1,x2\nC,3,,x3\nD,4,1,x4\n';

describe('import', () => {
  async function fileFor(t: TestContext, name: string, content: string | Uint8Array): Promise<string> {
    const file = join(await directoryFor(t), name);
    await writeFile(file, content);
    return file;
  }

  test('saves valid rows, reports rejected ones with their lines, and exits with 1', async (t) => {
    const { settings } = await newAccount();
    const { code, stdout, stderr } = await listings(['import', await fileFor(t, 'a.csv', ROWS)], settings);
    assert.equal(code, 1);
    assert.equal(stdout, '2 created, 0 updated, 0 unchanged, 2 failed\n');
    assert.equal(
      stderr,
      'line 3 x2: beds: "many" is not a number such as 3; to read values such as $450,000 and 1,250 sq ft, add ' +
        '--clean. (validation_failed)\n' +
        'line 4 x3: baths: Is required: a number. (validation_failed)\n',
    );
    assert.equal((await listingsOf(settings)).length, 2);
  });

  test('reads files with tabs, whatever their extension', async (t) => {
    const { settings } = await newAccount();
    const content = 'address\tbeds\tbaths\n12 Elm Street\t3\t2\n';
    for (const name of ['a.tsv', 'a.TAB', 'a.txt']) {
      const { code } = await listings(['import', await fileFor(t, name, content)], settings);
      assert.equal(code, 0, name);
    }
    const { code } = await listings(['import', await fileFor(t, 'a.tsv.gz', gzipSync(content))], settings);
    assert.equal(code, 0);
    assert.equal((await listingsOf(settings)).length, 4);
  });

  test('with --atomic saves all rows or none', async (t) => {
    const { settings } = await newAccount();
    const { code, stderr } = await listings(['import', '--atomic', await fileFor(t, 'a.csv', ROWS)], settings);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /2 rows cannot be imported, so no rows were imported\. \(import_failed, 422\)\n {2}line 3: beds: .*\n {2}line 4: baths: .*\nrequest id: /,
    );
    assert.deepEqual(await listingsOf(settings), []);
  });

  test('with --dry-run prints the same report as an import, and changes nothing', async (t) => {
    const { settings } = await newAccount();
    const { code, stdout } = await listings(['import', '--dry-run', await fileFor(t, 'a.csv', ROWS)], settings);
    assert.equal(code, 1);
    assert.match(stdout, /^2 created, .* 2 failed \(dry run: nothing was changed\)\n$/);
    assert.deepEqual(await listingsOf(settings), []);
  });

  test('reports the first rejected rows, and says how to see the others', async (t) => {
    const { settings } = await newAccount();
    const rows = Array.from({ length: 102 }, (_, index) => `A,many,1,x${index}\n`);
    const file = await fileFor(t, 'a.csv', `address,beds,baths,externalId\n${rows.join('')}`);
    const { code, stderr } = await listings(['import', file], settings);
    assert.equal(code, 1);
    assert.equal(stderr.match(/^line \d+ x\d+: beds/gm)?.length, 100);
    assert.match(
      stderr,
      /^… and 2 more\. To see all of them, add --dry-run --all-errors\. .*import the file again: .*externalId/m,
    );
  });

  test('that fails before its first row prints no report', async (t) => {
    const { settings } = await newAccount();
    const file = await fileFor(t, 'a.csv', 'nonsense\n1\n');
    for (const options of [[], ['--json']]) {
      const { code, stdout, stderr } = await listings(['import', file, ...options], settings);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^error: /);
    }
  });

  test('reports the saved rows if it is interrupted', async (t) => {
    const { settings } = await newAccount();
    const { child, output, closed } = start(t, ['import', '-', '--format', 'ndjson'], settings);
    for (let index = 0; index < 2_000; index += 1) {
      child.stdin.write(`${JSON.stringify({ address: 'A', beds: 1, baths: 1, externalId: `x${index}` })}\n`);
    }
    await until('rows are saved', async () => (await listingsOf(settings)).length > 0);
    child.kill('SIGINT');
    assert.equal(await closed, 130);
    assert.match(
      output.stderr,
      /^Interrupted after sending [\d.]+ kB of -\. Valid rows up to about this point are saved\./,
    );
    assert.match(output.stderr, /rows with an externalId or id update their listings/);
  });

  test('that fails exits, even if stdin stays open', async (t) => {
    const { settings } = await newAccount();
    const unreachable = { ...settings, PROPERTY_LISTINGS_BASE_URL: `http://127.0.0.1:${await findFreePort()}/v1` };
    for (const [connection, words] of [
      [unreachable, /ECONNREFUSED/],
      [settings, /agent/],
    ] as const) {
      const { child, output } = start(t, ['import', '-', '--format', 'csv'], connection);
      child.stdin.write('address,beds,baths,agent\nA,1,1,Ada\n');
      await until('the command exits', () => hasEnded(child));
      assert.equal(child.exitCode, 1);
      assert.match(output.stderr, words);
    }
  });

  test('skips unknown columns only with --ignore-unknown', async (t) => {
    const { settings } = await newAccount();
    const file = await fileFor(t, 'a.csv', 'address,beds,baths,agent\nA,1,1,Ada\n');
    const refused = await listings(['import', file], settings);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /agent.*--ignore-unknown/s);
    assert.equal((await listings(['import', file, '--ignore-unknown'], settings)).code, 0);
  });

  test('names columns with --map, cleans values with --clean, and prints the request with --curl', async (t) => {
    const { settings } = await newAccount();
    const file = await fileFor(
      t,
      'a.csv',
      'externalId,Street,beds,baths,Price,Agent,closeDate\nx,A,1,2.5,"$450,000",Ada,3/4/2026\n',
    );
    const options = [
      '--map',
      'Street=address',
      '--map',
      'Price=listPrice',
      '--map',
      'Agent=',
      '--clean',
      '--dates',
      'mdy',
    ];
    const { stdout, stderr } = await listings(['import', file, ...options], settings);
    assert.equal(stdout, '1 created, 0 updated, 0 unchanged, 0 failed, 3 cleaned\n', stderr);
    const [{ address, baths, listPrice, closeDate }] = await listingsOf(settings);
    assert.deepEqual([address, baths, listPrice, closeDate], ['A', 3, 450000, '2026-03-04']);
    const curl = await listings(['import', file, ...options, '--mode', 'replace', '--curl'], settings);
    assert.match(
      curl.stdout,
      /map%5BStreet%5D=address&map%5BPrice%5D=listPrice&map%5BAgent%5D=&clean=true&dates=mdy&mode=replace/,
    );
    const wrong = await listings(['import', file, '--map', 'Price'], settings);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /COLUMN=FIELD/);
  });

  test('reports every invalid row with --all-errors', async (t) => {
    const { settings } = await newAccount();
    const file = await fileFor(t, 'a.ndjson', '{}\n'.repeat(150));
    const { code, stdout, stderr } = await listings(['import', file, '--all-errors', '--dry-run'], settings);
    assert.equal(code, 1);
    assert.equal(stdout, '0 created, 0 updated, 0 unchanged, 150 failed (dry run: nothing was changed)\n');
    assert.equal(stderr.match(/^line \d+: address: Is required/gm)?.length, 150);
  });

  test('reads stdin, gzipped files, and each format by file name or --format', async (t) => {
    const { settings } = await newAccount();
    const row = { address: 'A', beds: 1, baths: 1, externalId: 'x' };
    const line = `${JSON.stringify(row)}\n`;
    const runs: [args: string[], input?: string | Uint8Array][] = [
      [['-', '--format', 'ndjson'], line],
      [['-', '--format', 'json'], `[${line}]`],
      [[await fileFor(t, 'a.ndjson', line)]],
      [[await fileFor(t, 'A.JSON', `[${line}]`)]],
      [[await fileFor(t, 'a.jsonl.gz', gzipSync(line))]],
      [[await fileFor(t, 'a.txt', line), '--format', 'ndjson']],
      [[await fileFor(t, 'packed.ndjson', gzipSync(line))]],
      [[await fileFor(t, 'plain.ndjson.gz', line)]],
      [['-', '--format', 'ndjson'], gzipSync(line)],
    ];
    for (const [args, input] of runs) {
      const { code, stdout, stderr } = await listings(['import', '--json', ...args], settings, input);
      assert.equal(code, 0, stderr);
      const { created, unchanged } = JSON.parse(stdout);
      assert.equal(created + unchanged, 1, args.join(' '));
    }
    assert.equal((await listingsOf(settings)).length, 1);
  });

  test('says how to fix an unknown format or file', async (t) => {
    const { settings } = await newAccount();
    for (const file of ['-', await fileFor(t, 'a.xlsx', '')]) {
      const { code, stderr } = await listings(['import', file], settings);
      assert.equal(code, 2);
      assert.match(stderr, /Set --format/);
    }
    const { code, stderr } = await listings(['import', '/nonexistent.csv'], settings);
    assert.equal(code, 1);
    assert.match(stderr, /^error: Cannot read \/nonexistent\.csv: ENOENT/);
  });
});

describe('export', () => {
  test('can be imported again without changes, in each format', async (t) => {
    const { tenant, settings } = await newAccount();
    await plant(service, tenant, 300);
    const directory = await directoryFor(t);
    for (const extension of ['ndjson', 'csv', 'json']) {
      const file = join(directory, `all.${extension}`);
      const exported = await listings(['export', file], settings);
      assert.deepEqual([exported.code, exported.stdout, exported.stderr], [0, '', '']);
      const { stdout } = await listings(['import', file], settings);
      assert.equal(stdout, '0 created, 0 updated, 300 unchanged, 0 failed\n');
    }
    await listings(['export', join(directory, 'all.geojson')], settings);
    assert.equal(JSON.parse(await readFile(join(directory, 'all.geojson'), 'utf8')).features.length, 300);
    assert.deepEqual((await readdir(directory)).sort(), ['all.csv', 'all.geojson', 'all.json', 'all.ndjson']);
  });

  test('to stdout is NDJSON of the matching listings with an end line', async () => {
    const { tenant, settings } = await newAccount();
    await plant(service, tenant, 10);
    const { stdout } = await listings(['export', '--beds-gt', '8'], settings);
    const rows = stdout
      .trim()
      .split('\n', 3)
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      rows.map(({ beds, end, count }) => beds ?? [end, count]),
      [10, 9, [true, 2]],
    );
  });

  test('replaces a file, keeps its mode, and follows a link', async (t) => {
    const { tenant, settings } = await newAccount();
    await plant(service, tenant, 1);
    const directory = await directoryFor(t);
    const [file, link] = [join(directory, 'a.json'), join(directory, 'link.json')];
    await writeFile(file, 'old');
    await chmod(file, 0o662);
    await symlink(file, link);
    await listings(['export', link], settings);
    assert.equal(JSON.parse(await readFile(file, 'utf8')).length, 1);
    assert.ok((await lstat(link)).isSymbolicLink());
    assert.equal((await lstat(file)).mode & 0o777, 0o662);
  });

  test('into a missing directory fails, and the error names only the requested file', async () => {
    const { settings } = await newAccount();
    const { code, stderr } = await listings(['export', '/nonexistent/a.csv'], settings);
    assert.equal(code, 1);
    assert.equal(stderr, 'error: Cannot write /nonexistent/a.csv: ENOENT: no such file or directory\n');
  });

  test('fails if the list is incomplete, and keeps only the old file', async (t) => {
    const directory = await directoryFor(t);
    const row = '{"id":"lst_1","address":"A","beds":1,"baths":1}\n';
    const settings = await standInFor(t, ({ headers }, response) => {
      response.writeHead(200, { 'Content-Type': headers.accept ?? '' });
      response.write(row, () => setImmediate(() => response.destroy()));
    });
    for (const extension of ['ndjson', 'csv', 'json', 'geojson']) {
      const file = join(directory, `a.${extension}`);
      await writeFile(file, 'old');
      const { code, stderr } = await listings(['export', file], settings);
      assert.equal(code, 1);
      assert.match(stderr, /incomplete/);
      assert.equal(await readFile(file, 'utf8'), 'old');
      const piped = await listings(['export', '--format', extension], settings);
      assert.equal(piped.code, 1);
    }
    assert.equal((await readdir(directory)).length, 4);
  });
});
