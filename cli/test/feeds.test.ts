import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { directoryFor } from '../../testkit/src/serving.ts';
import { until } from '../../testkit/src/until.ts';
import { listings, type Settings, shell, start } from './support/cli.ts';
import { newAccount, service } from './support/service.ts';

/** Rows `A-00`, `A-01`, … as CSV. */
function csv(count: number, beds = 3): string {
  const rows = Array.from(
    { length: count },
    (_, index) => `A-${String(index).padStart(2, '0')},${index} Elm,${beds},2\n`,
  );
  return `externalId,address,beds,baths\n${rows.join('')}`;
}

async function fileFor(t: TestContext, content: string | Uint8Array, name = 'listings.csv'): Promise<string> {
  const file = join(await directoryFor(t), name);
  await writeFile(file, content);
  return file;
}

function feeds(settings: Settings, ...args: string[]) {
  return listings(['feeds', ...args], settings);
}

async function json(settings: Settings, ...args: string[]) {
  const { code, stdout, stderr } = await feeds(settings, ...args, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

async function listingsOf(settings: Settings, ...args: string[]) {
  return JSON.parse((await listings(['list', '--json', ...args], settings)).stdout);
}

describe('feeds push', () => {
  test('with --yes applies a file, and the same file again changes nothing', async (t) => {
    const { settings } = await newAccount();
    const file = await fileFor(t, csv(3));
    const first = await feeds(settings, 'push', 'mls', file, '--yes');
    assert.deepEqual([first.code, first.stdout], [0, '3 created, 0 updated, 0 unchanged, 0 failed\n'], first.stderr);
    const again = await json(settings, 'push', 'mls', file, '--yes');
    assert.deepEqual([again.outcome, again.unchanged], ['succeeded', 3]);
    const packed = gzipSync(csv(3));
    const piped = await listings(['feeds', 'push', 'mls', '-', '--format', 'csv', '--yes'], settings, packed);
    assert.equal(piped.stdout, '0 created, 0 updated, 3 unchanged, 0 failed\n', piped.stderr);
  });

  test('with --dry-run shows examples of each kind, and changes nothing', async (t) => {
    const { settings } = await newAccount();
    await feeds(settings, 'push', 'mls', await fileFor(t, csv(3)), '--yes');
    const rows = Array.from({ length: 12 }, (_, index) => `B-${index},${index} Oak,1,1\n`).join('');
    const file = await fileFor(t, `externalId,address,beds,baths\nA-00,0 Elm,5,2\nA-01,1 Elm,many,2\n${rows}`);
    const args = ['push', 'mls', file, '--failed-max', '1', '--missing', 'withdraw', '--dry-run'];
    const { code, stdout, stderr } = await feeds(settings, ...args);
    assert.equal(code, 0, stderr);
    const lines = stdout.split('\n');
    assert.equal(lines[0], 'create\t4\tB-0\t0 Oak');
    assert.equal(lines[10], 'create\t\t\t… and 2 more');
    assert.deepEqual(lines.slice(11), [
      'update\t2\tA-00\tbeds 3 → 5',
      'missing\t\tA-02\t2 Elm',
      '12 created, 1 updated, 0 unchanged, 1 failed, 1 missing, 1 withdrawn (dry run: nothing was changed)',
      '',
    ]);
    assert.match(stderr, /^line 3 A-01: beds: "many" is not a number.* \(validation_failed\)\n$/);
    const plan = await json(settings, ...args);
    assert.deepEqual([plan.created, plan.examples.create.length], [12, 12]);
    assert.equal((await listingsOf(settings)).length, 3);
  });

  test('in a terminal shows the plan and asks, and applies it only after a yes', async (t) => {
    const { settings } = await newAccount();
    const file = await fileFor(t, csv(3));
    for (const [answer, exit, count] of [
      ['n', 1, 0],
      ['y', 0, 3],
    ] as const) {
      const line = `NO_COLOR=1 listings feeds push mls '${file}'`;
      const { child, output, closed } = shell(t, line, settings, 80);
      await until('it asks', () => output.stdout.includes('? [y/N] '));
      child.stdin.write(`${answer}\r`);
      assert.equal(await closed, exit, output.stdout);
      assert.match(output.stdout, /CHANGE {2}LINE {2}EXTERNAL ID {2}LISTING\r\ncreate {2}2 {5}A-00 {9}0 Elm\r\n/);
      assert.match(
        output.stdout,
        /3 created, 0 updated, 0 unchanged, 0 failed\r\n.*Apply these changes to the feed "mls"\?/,
      );
      assert.equal(/Nothing was changed\./.test(output.stdout), count === 0);
      assert.equal((await listingsOf(settings)).length, count);
    }
    const { output, closed } = shell(t, `listings feeds push mls '${file}'`, settings, 80);
    assert.equal(await closed, 0, 'it does not ask about a file that changes nothing');
    assert.match(output.stdout, /3 unchanged/);
  });

  test('applies exactly the plan that was shown, or nothing', async (t) => {
    const { settings } = await newAccount();
    const file = await fileFor(t, csv(3));
    const { child, output, closed } = shell(t, `listings feeds push mls '${file}'`, settings, 80);
    await until('it asks', () => output.stdout.includes('? [y/N] '));
    await writeFile(file, csv(4));
    child.stdin.write('y\r');
    assert.equal(await closed, 3);
    assert.match(
      output.stdout,
      /have changed since the plan was made\. Check the new plan; to apply it, run the command/,
    );
    assert.deepEqual(await listingsOf(settings), []);
  });

  test('without a terminal applies a file only with --yes, and otherwise sends no request', async (t) => {
    const { settings } = await newAccount();
    const file = await fileFor(t, csv(3));
    const seen = service.logLines.length;
    const { code, stdout, stderr } = await feeds(settings, 'push', 'mls', file);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(
      stderr,
      /Add --yes to apply the file unless the guard stops the run, or --dry-run to see what would change/,
    );
    const piped = shell(t, `listings feeds push mls - --format csv`, settings, 80);
    assert.equal(await piped.closed, 2);
    assert.match(piped.output.stdout, /read twice/);
    assert.equal(service.logLines.length, seen);
  });

  test('exits with 3 if the guard stops the run, and says how to proceed', async (t) => {
    const { settings } = await newAccount();
    await feeds(settings, 'push', 'mls', await fileFor(t, csv(20)), '--yes');
    const file = await fileFor(t, csv(4, 9));
    for (const args of [['--yes'], ['--dry-run']]) {
      const { code, stderr } = await feeds(settings, 'push', 'mls', file, ...args);
      assert.equal(code, 3);
      assert.match(stderr, /^error: .*16 of the feed's 20 listings are missing from the file, and the limit is 5\./m);
      assert.match(stderr, /Check the file; to proceed anyway, add --missing-max 16\./);
    }
    assert.deepEqual(await listingsOf(settings, '--beds', '9'), []);
    const failing = `${csv(20)}B,many,many,1\nC,many,many,1\n`;
    const { code, stderr } = await feeds(settings, 'push', 'mls', await fileFor(t, failing), '--yes');
    assert.equal(code, 3);
    assert.match(
      stderr,
      /2 of 22 rows failed, and the limit is 1\. Correct the failed rows; to proceed anyway, add --failed-max 2\./,
    );
    const both = await feeds(settings, 'push', 'mls', await fileFor(t, `${csv(4)}B,many,many,1\n`), '--yes');
    assert.match(both.stderr, /to proceed anyway, add --missing-max 16 --failed-max 1\. \(feed_guard, 409\)/);
    const empty = await feeds(settings, 'push', 'mls', await fileFor(t, csv(0)), '--yes');
    assert.equal(empty.code, 3);
    assert.match(empty.stderr, /the file has no rows; .* Send the complete file\./);
    const run = await feeds(settings, 'push', 'mls', file, '--yes', '--missing-max', '16');
    assert.deepEqual(
      [run.code, run.stdout],
      [0, '0 created, 4 updated, 0 unchanged, 0 failed, 16 missing\n'],
      run.stderr,
    );
  });

  test('interrupted with Ctrl-C says how to complete the changes', async (t) => {
    const { settings } = await newAccount();
    const { child, output, closed } = start(t, ['feeds', 'push', 'mls', '-', '--format', 'csv', '--yes'], settings);
    child.stdin.write(csv(3));
    const isRunning = async () => (await json(settings, 'list'))[0]?.lastRun?.outcome === 'running';
    await until('the run is in progress', isRunning);
    child.kill('SIGINT');
    assert.equal(await closed, 130);
    assert.match(
      output.stderr,
      /^Interrupted after sending \d+ B of -\. To complete the changes, send the file again\.\n$/,
    );
  });

  test('brings files with different vocabularies into one account, and stops one that is cut short', async (t) => {
    const { settings } = await newAccount();
    const vocabularies: [name: string, header: string, row: (index: number) => string, args: string[]][] = [
      [
        'mls',
        'ListingKey,UnparsedAddress,BedroomsTotal,BathroomsTotalInteger,ListPrice,StandardStatus',
        (index) => `M-${index},"${index} Elm Street, Austin",3,2,45${index}000.00,Active`,
        ['--clean'],
      ],
      [
        'broker',
        'MLS #;Street;Bedrooms;Baths;Price;Status;Listed;Agent',
        (index) => `B-${index};${index} Oak Street;Studio;1.5;$45${index},000;For sale;03/04/2026;Ada`,
        [
          ...['--map', 'MLS #=externalId', '--map', 'Street=address', '--map', 'Bedrooms=beds', '--map', 'Baths=baths'],
          ...['--map', 'Price=listPrice', '--map', 'Status=status', '--map', 'Listed=onMarketDate', '--map', 'Agent='],
          ...['--clean', '--dates', 'mdy'],
        ],
      ],
      [
        'portal',
        'Ref\tAddress Line\tRooms\tBaths\tAsking Price',
        (index) => `P-${index}\t${index} Pine Street\t2 beds\t1 full, 1 half\t45${index} 000 €`,
        [
          ...[
            '--map',
            'Ref=externalId',
            '--map',
            'Address Line=address',
            '--map',
            'Rooms=beds',
            '--map',
            'Baths=baths',
          ],
          ...['--map', 'Asking Price=listPrice', '--clean'],
        ],
      ],
    ];
    for (const [name, header, row, args] of vocabularies) {
      const rows = Array.from({ length: 8 }, (_, index) => row(index));
      const file = await fileFor(t, `${[header, ...rows].join('\n')}\n`, `${name}.csv`);
      const { code, stdout, stderr } = await feeds(settings, 'push', name, file, ...args, '--yes');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^8 created, 0 updated, 0 unchanged, 0 failed/);
    }
    const [mls] = await listingsOf(settings, '--feed', 'mls');
    assert.deepEqual([mls.externalId, mls.listPrice, mls.status], ['M-7', 457_000, 'active']);
    const [broker] = await listingsOf(settings, '--feed', 'broker');
    assert.deepEqual([broker.beds, broker.baths, broker.listPrice, broker.onMarketDate], [0, 2, 457_000, '2026-03-04']);
    const [portal] = await listingsOf(settings, '--feed', 'portal');
    assert.deepEqual([portal.beds, portal.baths, portal.listPrice, portal.currency], [2, 2, 457_000, 'EUR']);

    const [, header = '', row, args = []] = vocabularies[1] ?? [];
    const before = await listingsOf(settings);
    const cut = `${header}\n${row?.(0)}\n${row?.(1)}\nB-2;2 Oak Str`;
    const { code, stderr } = await feeds(settings, 'push', 'broker', await fileFor(t, cut), ...args, '--yes');
    assert.equal(code, 3);
    assert.match(stderr, /the file ends in the middle of the row on line 4/);
    assert.deepEqual(await listingsOf(settings), before);
  });
});

describe('feeds', () => {
  test('lists feeds and runs', async (t) => {
    const { settings } = await newAccount();
    assert.deepEqual(await json(settings, 'list'), []);
    await feeds(settings, 'push', 'mls', await fileFor(t, csv(20)), '--yes', '--missing', 'withdraw');
    await feeds(settings, 'push', 'mls', await fileFor(t, csv(17)), '--yes', '--missing', 'withdraw');
    await feeds(settings, 'push', 'mls', await fileFor(t, csv(1)), '--yes');
    const list = await feeds(settings, 'list');
    assert.match(list.stdout, /^mls\t20\tkeep\tstopped_by_guard\t\S+Z\t\n$/);
    const { stdout } = await feeds(settings, 'runs', 'mls', '--limit', '2');
    const lines = stdout.split('\n');
    assert.match(
      lines[0] ?? '',
      /^\S+Z\tstopped_by_guard\t1\t0\t0\t0\t0\trun_\w{26}\tNothing was changed: 16 of the feed's 20 listings [^\t]* add --missing-max 16\.$/,
    );
    assert.match(lines[1] ?? '', /^\S+Z\tsucceeded\t17\t0\t0\t3\t0\trun_\w{26}\t$/);
    assert.equal(lines.length, 3);
    assert.equal((await json(settings, 'runs', 'mls')).length, 3);
    const shown = shell(t, 'NO_COLOR=1 listings feeds list; NO_COLOR=1 listings feeds runs mls', settings, 80);
    assert.equal(await shown.closed, 0, shown.output.stdout);
    assert.match(shown.output.stdout, /^mls +20 +keep +stopped_by_guard {2}\d{4}-\d\d-\d\d \d\d:\d\d\r$/m);
    for (const line of shown.output.stdout.split('\r\n')) assert.ok(line.length <= 80, line);
  });

  test('shows the failed rows of a run, or writes them to a file', async (t) => {
    const { settings } = await newAccount();
    const file = await fileFor(t, `${csv(3)}B,5 Oak,many,1\n`);
    const pushed = await feeds(settings, 'push', 'mls', file, '--yes', '--failed-max', '1');
    assert.equal(pushed.code, 0, 'the run has succeeded');
    assert.match(pushed.stderr, /^line 5 B: beds: /);
    const shown = await feeds(settings, 'errors', 'mls');
    assert.match(shown.stdout, /^line 5 B: beds: "many" is not a number.* \(validation_failed\)\n$/);
    const [row] = await json(settings, 'errors', 'mls');
    assert.deepEqual([row.line, row.values.beds], [5, 'many']);
    const directory = await directoryFor(t);
    for (const name of ['failed.csv', 'failed.ndjson']) {
      const { code, stderr } = await feeds(settings, 'errors', 'mls', join(directory, name));
      assert.equal(code, 0, stderr);
    }
    const table = await readFile(join(directory, 'failed.csv'), 'utf8');
    assert.match(table, /^line,code,message,details,externalId,address,beds,baths\r\n5,.*,B,5 Oak,many,1\r\n$/);
    const lines = (await readFile(join(directory, 'failed.ndjson'), 'utf8')).trim().split('\n');
    assert.deepEqual(JSON.parse(lines[1] ?? ''), { end: true, count: 1 });
    const [{ id }] = await json(settings, 'runs', 'mls');
    await feeds(settings, 'push', 'mls', await fileFor(t, csv(3)), '--yes');
    assert.equal((await feeds(settings, 'errors', 'mls')).stdout, '');
    assert.match((await feeds(settings, 'errors', 'mls', '--run', id, '--format', 'csv')).stdout, /^line,code/);
  });

  test('set changes settings, which later files use, and brings defaults back', async (t) => {
    const { settings } = await newAccount();
    await feeds(settings, 'push', 'mls', await fileFor(t, csv(3)), '--yes');
    const given = [
      '--map',
      'Price=listPrice',
      '--clean',
      '--dates',
      'mdy',
      '--missing',
      'delete',
      '--missing-max',
      '50%',
    ];
    const feed = await json(settings, 'set', 'mls', ...given, '--failed-max', '0', '--expected-every-hours', '24');
    assert.deepEqual([feed.map, feed.dates, feed.failedMax], [{ Price: 'listPrice' }, 'mdy', '0']);
    const file = await fileFor(t, 'externalId,Price\nA-00,"$5,000"\nA-01,\n');
    const { stdout } = await feeds(settings, 'push', 'mls', file, '--yes');
    assert.equal(stdout, '0 created, 1 updated, 1 unchanged, 0 failed, 1 missing, 1 deleted, 1 cleaned\n');
    const shown = await feeds(settings, 'set', 'mls', '--unset', 'map', '--unset', 'missing-max', '--missing', 'keep');
    assert.match(shown.stdout, /^map\t\{\}\n/m);
    assert.match(shown.stdout, /^missingMax\t20%\n/m);
    assert.match(shown.stdout, /^lastRun\tsucceeded\n/m);
  });

  test('get shows a feed, and delete removes it with or without its listings', async (t) => {
    const { settings } = await newAccount();
    await feeds(settings, 'push', 'mls', await fileFor(t, csv(3)), '--yes');
    assert.match((await feeds(settings, 'get', 'mls')).stdout, /^name\tmls\n.*^listings\t3$/ms);
    const kept = await feeds(settings, 'delete', 'mls');
    assert.deepEqual([kept.code, kept.stdout, kept.stderr], [0, '', 'Deleted the feed mls.\n']);
    assert.equal((await listingsOf(settings)).length, 3);
    await feeds(settings, 'push', 'mls', await fileFor(t, csv(3)), '--yes');
    const asked = shell(t, 'listings feeds delete mls --listings delete', settings, 80);
    await until('the question', () =>
      /Permanently delete the feed "mls" and its 3 listings\?/.test(asked.output.stdout),
    );
    asked.child.stdin.write('n\r');
    assert.notEqual(await asked.closed, 0);
    assert.match(asked.output.stdout, /Nothing was deleted\./);
    await feeds(settings, 'delete', 'mls', '--listings', 'delete');
    assert.deepEqual(await listingsOf(settings), []);
    assert.equal((await feeds(settings, 'get', 'mls')).code, 1);
  });

  test('words, defaults, and the decimal separator are options, are saved, and are removed one by one', async (t) => {
    const { settings } = await newAccount();
    const header = 'externalId;address;beds;baths;Preis;status;livingArea\n';
    const file = await fileFor(
      t,
      `${header}A;1 Elm;3;2;389.000;verkauft;112,5\nB;2 Elm;3;2;auf Anfrage;verfügbar;86 m²\n`,
    );
    const plain = ['push', 'makler', file, '--yes', '--clean', '--map', 'Preis=listPrice'];
    const failed = await feeds(settings, ...plain);
    assert.match(failed.stderr, /2 of 2 rows failed/);
    const checked = await feeds(settings, ...plain.filter((arg) => arg !== '--yes'), '--dry-run');
    assert.match(
      checked.stderr,
      /^To define what these words mean, .*:\n {2}--value status:verkauft=CHOICE .*--value 'listPrice:auf Anfrage='/m,
    );
    const errors = await feeds(settings, 'errors', 'makler');
    assert.match(errors.stdout, /"389\.000" can mean 389000 or 389; add --decimal comma or --decimal point\./);
    assert.match(errors.stdout, /to define what "verkauft" means, add --value status:verkauft=CHOICE\./);
    const words = [
      '--value',
      'status:verkauft=closed',
      '--value',
      'status:Verfügbar=active',
      '--value',
      'listPrice:auf Anfrage=',
    ];
    const read = ['--decimal', 'comma', ...words, '--default', 'currency=EUR'];
    const pushed = await feeds(settings, ...plain, ...read, '--failed-max', '1', '--save');
    assert.equal(pushed.stdout, '2 created, 0 updated, 0 unchanged, 0 failed, 6 cleaned\n', pushed.stderr);
    assert.match(
      pushed.stderr,
      /^warning: livingAreaUnits: Line 3 is in sqm, but line 2 does not name a unit, .* add --default livingAreaUnits=…\.\n$/,
    );
    const listed = await listingsOf(
      settings,
      '--fields',
      'externalId,listPrice,currency,status,livingArea,livingAreaUnits',
    );
    assert.deepEqual(listed.toReversed(), [
      {
        externalId: 'A',
        status: 'closed',
        listPrice: 389_000,
        currency: 'EUR',
        livingArea: 112.5,
        livingAreaUnits: 'sqft',
      },
      { externalId: 'B', status: 'active', livingArea: 86, livingAreaUnits: 'sqm' },
    ]);
    const saved = await json(settings, 'get', 'makler');
    const { map, values, defaults, decimal, failedMax } = saved;
    assert.deepEqual(
      { map, values, defaults, decimal, failedMax },
      {
        map: { Preis: 'listPrice' },
        values: { 'status:verkauft': 'closed', 'status:Verfügbar': 'active', 'listPrice:auf Anfrage': '' },
        defaults: { currency: 'EUR' },
        decimal: 'comma',
        failedMax: '5%',
      },
    );
    assert.match((await feeds(settings, 'push', 'makler', file, '--yes')).stdout, /^0 created, 0 updated, 2 unchanged/);
    const less = await json(
      settings,
      'set',
      'makler',
      '--unset',
      'values.status:verkauft',
      '--unset',
      'defaults.currency',
    );
    assert.deepEqual([Object.keys(less.values), less.defaults], [['status:Verfügbar', 'listPrice:auf Anfrage'], {}]);
    const renamed = await fileFor(t, `${header.replace('Preis', 'Kaufpreis')}B;2 Elm;3;2;400.000,00;active;86 m²\n`);
    const told = await feeds(settings, 'push', 'makler', renamed, '--yes');
    assert.match(
      told.stderr,
      /^ {2}--map Preis: The file does not have a column Preis; if it has a new name, add --map 'NEW NAME'=listPrice instead\.$/m,
    );
    const moved = await feeds(settings, 'push', 'makler', renamed, '--yes', '--save', '--map', 'Kaufpreis=listPrice');
    assert.match(moved.stdout, /^0 created, 1 updated/, moved.stderr);
    assert.deepEqual((await json(settings, 'get', 'makler')).map, { Kaufpreis: 'listPrice' });
    const skipped = await json(settings, 'set', 'makler', '--map', 'Agent=', '--unset', 'map.Kaufpreis');
    assert.deepEqual(skipped.map, { Agent: '' });
    const reso = async (column: string) => fileFor(t, `ListingId,City,${column}\nB,Waco,900\n`);
    await feeds(settings, 'push', 'reso', await reso('LivingArea'), '--yes', '--failed-max', '100%');
    const lost = await feeds(settings, 'push', 'reso', await reso('Living Space'), '--yes', '--ignore-unknown');
    assert.match(
      lost.stderr,
      /such as "Living Space" would .* add --map COLUMN=LivingArea; otherwise, add --map LivingArea= to leave livingArea unchanged\. \(validation_failed/,
    );
  });

  test('with --curl prints the request, and without a key exits with 4', async () => {
    const { settings } = await newAccount();
    const runs: [args: string[], ...parts: string[]][] = [
      [['push', 'mls', 'a.csv.gz'], "-X PUT '", "/v1/feeds/mls'", "--upload-file 'a.csv.gz'", 'Content-Encoding: gzip'],
      [['push', 'mls', 'a.csv', '--dry-run', '--missing-max', '10%'], '/v1/feeds/mls?missingMax=10%25&dryRun=true'],
      [['list'], '/v1/feeds'],
      [['runs', 'mls'], '/v1/feeds/mls/runs?limit=20'],
      [['errors', 'mls', 'a.csv', '--run', 'run_1'], '/runs/run_1/errors', 'Accept: text/csv', "-o 'a.csv'"],
      [['errors', 'mls'], '/v1/feeds/mls/runs/RUN_ID/errors'],
      [['set', 'mls', '--unset', 'dates'], '-X PATCH', `--data-raw '{"dates":null}'`],
    ];
    for (const [args, ...parts] of runs) {
      const { code, stdout, stderr } = await feeds(settings, ...args, '--curl');
      assert.deepEqual([code, stderr], [0, ''], args.join(' '));
      for (const part of parts) assert.ok(stdout.startsWith('curl ') && stdout.includes(part), stdout);
      const keyless = await feeds({ PROPERTY_LISTINGS_API_KEY: '' }, ...args, ...(args[0] === 'push' ? ['--yes'] : []));
      assert.equal(keyless.code, 4, args.join(' '));
    }
  });

  test('reports incorrect usage and invalid names', async (t) => {
    const { settings } = await newAccount();
    const file = await fileFor(t, csv(1));
    const runs: [args: string[], code: number, words: RegExp][] = [
      [['push', 'mls'], 2, /missing required argument 'file'/],
      [['push', 'mls', 'a.xlsx', '--yes'], 2, /Set --format/],
      [['push', 'mls', file, '--yes', '--missing', 'sell'], 2, /keep, withdraw, delete/],
      [['push', 'mls', file, '--yes', '--missing-max', 'many'], 1, /--missing-max: Must be a percentage/],
      [['push', 'MLS', file, '--yes'], 1, /The name of a feed/],
      [['push', 'mls', '/nonexistent.csv', '--yes'], 1, /Cannot read \/nonexistent\.csv/],
      [['set', 'mls'], 2, /Specify at least one change/],
      [['set', 'mls', '--clean', '--unset', 'clean'], 2, /Either set --clean or unset it/],
      [['set', 'mls', '--unset', 'missing.keep'], 2, /Cannot unset "missing\.keep"/],
      [['set', 'mls', '--value', 'status'], 2, /FIELD:WORD=VALUE/],
      [['push', 'mls', file, '--yes', '--value', 'status:Sold=sold'], 1, /--value status:Sold: Must be one of/],
      [['push', 'mls', file, '--yes', '--default', 'citty=Waco'], 1, /--default citty.*did you mean city/],
      [['delete', 'nothing', '--yes'], 1, /not_found, 404/],
      [['set', 'mls', '--unset', 'name'], 2, /Cannot unset "name"/],
      [['set', 'nothing', '--clean'], 1, /sending its first file creates it/],
      [['runs', 'nothing'], 1, /not_found, 404/],
      [['errors', 'nothing'], 1, /not_found, 404/],
    ];
    for (const [args, code, words] of runs) {
      const result = await feeds(settings, ...args);
      assert.deepEqual([result.code, result.stdout], [code, ''], `${args.join(' ')}: ${result.stderr}`);
      assert.match(result.stderr, words);
    }
  });
});
