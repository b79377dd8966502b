import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Tenant } from '../../testkit/src/service.ts';
import {
  assertFits,
  findBarriers,
  openListings as openAt,
  settle,
  signOut,
  startDashboard,
  untilFocused,
} from './support/window.ts';

const dashboard = await startDashboard();
const { service } = dashboard;
const openListings = (count: number, options?: Parameters<typeof openAt>[2]) => openAt(dashboard, count, options);

async function listingsOf(tenant: Tenant): Promise<Record<string, unknown>[]> {
  return Object(await (await service.fetch(tenant, '/v1/listings?limit=100&sort=createdAt')).json()).data;
}

async function countListings(tenant: Tenant): Promise<number> {
  return (await listingsOf(tenant)).length;
}

async function choose(page: Page, text: string | Buffer, name = 'listings.csv'): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.getByLabel('File', { exact: true }).setInputFiles(file);
}

const field = (page: Page, column: string) => page.getByLabel(`Field of ${column}`, { exact: true });

test('a file can be dropped, whatever its type; of several files, the first one counts', async () => {
  await using list = await openListings(0);
  const { page } = list;
  await page.goto('/listings/import');
  const zone = page.locator('.drop');
  const transferOf = (names: string[]) =>
    page.evaluateHandle((given) => {
      const transfer = new DataTransfer();
      for (const name of given) transfer.items.add(new File(['address,beds,baths\n1 Elm Street,3,2\n'], name));
      return transfer;
    }, names);
  for (const names of [['listings.txt'], ['first.csv', 'second.csv']]) {
    const dataTransfer = await transferOf(names);
    await zone.dispatchEvent('dragenter', { dataTransfer });
    await page.locator('.drop[data-accept], .drop[data-reject]').waitFor();
    await zone.dispatchEvent('drop', { dataTransfer });
    await zone.getByText(names[0] ?? '', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Check the file' }).waitFor();
  }
});

test('a messy file is imported without editing it, and its failed rows are fixed and sent again', async () => {
  await using list = await openListings(0, { width: 820 });
  const { page, tenant } = list;
  await page.goto('/listings/import');
  await choose(
    page,
    'MLS #\tStreet\tZip\tBedrooms\tBaths\tAsking Price\tStatus\tAgent\tSq Ft\r\n' +
      'A-1\t"1 Oak Avenue; rear"\t78701\t3\t2\t$450,000\tFor sale\tGrace\t1,250 sq ft\r\n' +
      'A-2\t\t78702\t2.5\t1\t$90,000\tSold\tAda\t900\r\n' +
      'A-3\t3 Oak Avenue\t78703\t2\t1\t=1\tSold\tAda\t900\r\n' +
      'A-4\t"4 Oak\r\nAvenue"\t78703\t2\tnone\t1\tSold\tAda\t900\r\n',
  );
  await page.getByText('8 of 9 columns are imported. Not imported: Agent.').waitFor();
  await page.getByText('Grace · Ada').waitFor();
  for (const [column, target] of [
    ['MLS #', 'externalId'],
    ['Street', 'address'],
    ['Zip', 'postalCode'],
    ['Bedrooms', 'beds'],
    ['Asking Price', 'listPrice'],
    ['Sq Ft', 'livingArea'],
    ['Agent', ''],
  ] as const) {
    assert.equal(await field(page, column).inputValue(), target, column);
  }
  await field(page, 'Agent').selectOption('Address');
  await page.getByText('Another column is mapped to this field.').first().waitFor();
  assert.ok(await page.getByRole('button', { name: 'Check the file' }).isDisabled());
  await field(page, 'Agent').selectOption('Not imported');
  await page.getByRole('button', { name: 'Keep them as custom fields' }).click();
  await assertFits(page);
  assert.deepEqual(await findBarriers(page), []);

  await page.getByRole('button', { name: 'Check the file' }).click();
  await untilFocused(page.getByRole('status', { name: 'Result of the check' }));
  await page.getByText('To be created').waitFor();
  assert.equal(await countListings(tenant), 0);
  const failed = page.getByRole('table', { name: 'Failed rows' });
  await failed.getByRole('row', { name: /^3.*A-2.*Street: This value is missing.*Bedrooms: .*2\.5/ }).waitFor();
  await failed.getByRole('row', { name: /^4.*A-3.*3 Oak Avenue.*Asking Price: .*=1/ }).waitFor();
  await assertFits(page);
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Back to columns' }).click();
  assert.equal(await field(page, 'Agent').inputValue(), 'metadata.Agent');
  await page.getByRole('button', { name: 'Check the file' }).click();

  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByRole('link', { name: 'Go to listings' }).waitFor();
  const [listing] = await listingsOf(tenant);
  const { externalId, address, postalCode, listPrice, livingArea, status, metadata } = listing ?? {};
  assert.deepEqual(
    { externalId, address, postalCode, listPrice, livingArea, status, metadata },
    {
      externalId: 'A-1',
      address: '1 Oak Avenue; rear',
      postalCode: '78701',
      listPrice: 450_000,
      livingArea: 1250,
      status: 'active',
      metadata: { Agent: 'Grace' },
    },
  );

  const { text: refused } = await downloadFailedRows(page);
  const lines = refused.split('\r\n');
  assert.equal(lines[0], 'MLS #\tStreet\tZip\tBedrooms\tBaths\tAsking Price\tStatus\tAgent\tSq Ft\tproblem');
  assert.match(lines[1] ?? '', /^A-2\t\t78702\t2\.5\t1\t"\$90,000"\tSold\tAda\t900\t"?address: This value is missing/);
  assert.match(refused, /A-4\t"4 Oak\r\nAvenue"\t/);

  const fixed = refused
    .replace('A-2\t\t78702\t2.5', 'A-2\t2 Oak Avenue\t78702\t2')
    .replace('\t=1\t', '\t1\t')
    .replace('none', '1')
    .replace('4 Oak\r\nAvenue', '4 Oak Avenue');
  await page.getByRole('button', { name: 'Import another file' }).click();
  await choose(page, fixed);
  await page.getByText('Not imported: Agent, problem.').waitFor();
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Import 3 rows' }).click();
  await page.getByRole('link', { name: 'Go to listings' }).click();
  await page.getByRole('row', { name: /3 Oak Avenue/ }).waitFor();
  assert.equal(await countListings(tenant), 4);
});

test('JSON arrays, JSON lines, and RESO names are mapped; an error says that a file is not UTF-8', async () => {
  await using list = await openListings(0);
  const { page, tenant } = list;
  await page.goto('/listings/import');
  const rows = [
    { UnparsedAddress: '1 "Oak" [Avenue]', BedroomsTotal: 3, BathroomsTotalInteger: 2, Price: 5, Views: null },
    { UnparsedAddress: '2 Oak Avenue, }', BedroomsTotal: 'x', BathroomsTotalInteger: 1, Colour: 'red' },
  ];
  await choose(page, Buffer.from('address,beds,baths\nStra\xdfe,1,1\n', 'latin1'));
  await page.getByText('This file is not UTF-8').waitFor();
  await choose(page, '');
  await page.getByText('This file has no rows').waitFor();
  for (const [name, text] of [
    ['rows.json', JSON.stringify(rows, null, 2)],
    ['reso.json', JSON.stringify({ '@reso.context': 'urn:reso', value: rows })],
    ['rows.ndjson', rows.map((row) => JSON.stringify(row)).join('\n')],
  ] as const) {
    await choose(page, text, name);
    await page.getByText('4 of 6 columns are imported. Not imported: Views, Colour.').waitFor();
    assert.equal(await field(page, 'UnparsedAddress').inputValue(), 'address');
    assert.equal(await field(page, 'Price').inputValue(), 'listPrice');
    await page.getByRole('button', { name: 'Check the file' }).click();
    const failed = page.getByRole('table', { name: 'Failed rows' });
    await failed.getByRole('row', { name: /^2.*2 Oak Avenue, }.*BedroomsTotal: .*x/ }).waitFor();
    await page.getByRole('button', { name: 'Import 1 row' }).waitFor();
  }
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByRole('link', { name: 'Go to listings' }).waitFor();
  const [listing] = await listingsOf(tenant);
  assert.deepEqual([listing?.address, listing?.listPrice], ['1 "Oak" [Avenue]', 5]);
});

test('downloaded failed rows of JSON have only their own members, so fields that they lack stay', async () => {
  await using list = await openListings(0);
  const { page, tenant } = list;
  const stored = { externalId: 'A-2', address: '2 Oak Avenue', beds: 3, baths: 2, city: 'Austin' };
  const headers = { 'Content-Type': 'application/json' };
  await service.fetch(tenant, '/v1/listings', { method: 'POST', headers, body: JSON.stringify(stored) });
  const failing = [
    { externalId: 'A-2', beds: 'x' },
    { externalId: 'A-3', address: '3 Oak Avenue', beds: 2, baths: 'y', city: 'Waco', photos: [], unit: null },
  ];
  const rows = [{ ...stored, externalId: 'A-1' }, ...failing];
  await page.goto('/listings/import');
  for (const [name, text] of [
    ['rows.json', JSON.stringify(rows)],
    ['rows.ndjson', rows.map((row) => JSON.stringify(row)).join('\n')],
  ] as const) {
    await choose(page, text, name);
    await page.getByRole('button', { name: 'Check the file' }).click();
    const { file, text: saved } = await downloadFailedRows(page);
    assert.equal(file, 'failed-rows.ndjson');
    const lines = saved
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ problem: _, ...row }) => row),
      failing,
    );
    assert.match(lines[0].problem, /^beds: /);
    await choose(page, saved.replace('"x"', '4').replace('"y"', '1'), file);
    await page.getByText('Not imported: problem.').waitFor();
  }
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await page.getByRole('link', { name: 'Go to listings' }).waitFor();
  const listings = await listingsOf(tenant);
  assert.deepEqual(
    listings.map(({ externalId, beds, city }) => [externalId, beds, city]),
    [
      ['A-2', 4, 'Austin'],
      ['A-3', 2, 'Waco'],
    ],
  );
});

test('downloaded failed rows of CSV keep cells beyond the header, and fail again until they are fixed', async () => {
  await using list = await openListings(0);
  const { page } = list;
  await page.goto('/listings/import');
  const text = 'externalId,address,beds,baths\r\nA-1,1 Oak Avenue, rear,3,2\r\nA-2,2 Oak Avenue,3\r\n';
  await choose(page, text);
  await page.getByRole('button', { name: 'Check the file' }).click();
  const { file, text: saved } = await downloadFailedRows(page);
  assert.equal(file, 'failed-rows.csv');
  const [header, long, short] = saved.split('\r\n');
  assert.equal(header, 'externalId,address,beds,baths,problem');
  assert.match(long ?? '', /^A-1,1 Oak Avenue, rear,3,2,"body: Has 5/);
  assert.match(short ?? '', /^A-2,2 Oak Avenue,3,"body: Has 3/);
  await choose(page, saved);
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Nothing to import' }).waitFor();
  await choose(page, saved.replace('1 Oak Avenue, rear', '"1 Oak Avenue, rear"').replace(',3,"', ',3,2,"'));
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Import 2 rows' }).waitFor();
});

test('a report is shown if a row far down in the file is not UTF-8, or if the file cannot be read again', async () => {
  await using list = await openListings(0);
  const { page } = list;
  await page.goto('/listings/import');
  const rows = Array.from({ length: 1_000 }, (_, index) => `${index} Oak Avenue,3,2,${'plain '.repeat(600)}\n`);
  const start = Buffer.from(`address,beds,baths,description\n${rows.join('')}`);
  await choose(page, Buffer.concat([start, Buffer.from('Stra\xdfe,3,2,\n', 'latin1')]));
  await page.getByRole('button', { name: 'Check the file' }).click();
  const failed = page.getByRole('table', { name: 'Failed rows' });
  await failed.getByRole('row', { name: /^1,?002.*Stra\ufffde.*not UTF-8/ }).waitFor();
  assert.match((await downloadFailedRows(page)).text, /\r\nStra\ufffde,3,2,,/);

  const directory = await mkdtemp(join(tmpdir(), 'import-'));
  const path = join(directory, 'gone.csv');
  await writeFile(path, 'address,beds,baths\n1 Oak Avenue,3,2\n,3,2\n');
  const errors = [{ line: 3, code: 'validation_failed', message: 'The address is missing.' }];
  await page.route('**/admin/imports?*', async (route) => {
    await rm(directory, { recursive: true });
    await route.fulfill({ json: { created: 1, updated: 0, unchanged: 0, failed: 1, repeated: 0, cleaned: 0, errors } });
  });
  await page.getByLabel('File', { exact: true }).setInputFiles(path);
  await page.getByRole('button', { name: 'Check the file' }).click();
  await failed.getByRole('row', { name: /^3.*The address is missing/ }).waitFor();
  await page.getByRole('button', { name: 'Download failed rows' }).click();
  await page.getByText('The file can’t be read').waitFor();
  await page.getByRole('button', { name: 'Import 1 row' }).waitFor();
});

async function downloadFailedRows(page: Page): Promise<{ file: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download failed rows' }).click(),
  ]);
  return { file: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

test('a known column that is set to "Not imported" is left out', async () => {
  await using list = await openListings(0, { width: 320 });
  const { page, tenant } = list;
  await page.goto('/listings/import');
  await page.getByRole('button', { name: 'Download template' }).click();
  await choose(page, 'address,beds,baths,listPrice\n5 Oak Avenue,3,2,450000\n');
  await field(page, 'listPrice').selectOption('Not imported');
  await assertFits(page);
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByRole('link', { name: 'Go to listings' }).waitFor();
  await settle(page);
  await assertFits(page);
  const [listing] = await listingsOf(tenant);
  assert.deepEqual([listing?.address, listing?.listPrice], ['5 Oak Avenue', undefined]);
});

test('an import says how many rows are done', async () => {
  await using list = await openListings(0);
  const { page } = list;
  await page.goto('/listings/import');
  const rows = Array.from({ length: 20_000 }, (_, index) => `${index} Oak Avenue,3,2`);
  await choose(page, ['address,beds,baths', ...rows].join('\n'));
  await page.getByRole('button', { name: 'Check the file' }).click();
  // The observer sees all text that appears, however briefly.
  const first = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const texts = /Uploaded\. Saving [1-9][\d,]* of 20,000 rows…|Go to listings/;
        const observer = new MutationObserver(() => {
          const found = texts.exec(document.body.textContent);
          if (found !== null) resolve(found[0]);
        });
        observer.observe(document.body, { childList: true, subtree: true, characterData: true });
      }),
  );
  await page.getByRole('button', { name: 'Import 20,000 rows' }).click();
  assert.match(await first, /^Uploaded/);
  await page.getByRole('link', { name: 'Go to listings' }).waitFor();
  await page.getByRole('status', { name: 'Result' }).getByText('20,000').waitFor();
});

test('an import continues on other pages, where it can be stopped and its report opened', async () => {
  await using list = await openListings(1);
  const { page, tenant } = list;
  let { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/admin/imports*', async (route) => {
    if (!route.request().url().includes('dryRun')) await released;
    await route.continue().catch(() => undefined);
  });
  const bar = page.getByRole('region', { name: 'Import' });
  async function beginImport(): Promise<void> {
    const buffer = Buffer.from('address,beds,baths\n1 Oak Avenue,3,2\n2 Oak Avenue,none,1\n');
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByLabel('File').setInputFiles({ name: 'listings.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByRole('link', { name: 'Listings' }).click();
    await bar.getByText('listings.csv is being imported.').waitFor();
  }

  await beginImport();
  await signOut(page);
  await page.getByText('An import is running').waitFor();
  release();
  await bar.getByText('listings.csv was imported: 1 created, 0 updated, 1 row failed.').waitFor();
  await page.getByRole('row', { name: /1 Oak Avenue/ }).waitFor();
  await bar.getByRole('link', { name: 'Show report' }).click();
  await page.getByRole('table', { name: 'Failed rows' }).waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('row', { name: /1 Oak Avenue/ }).waitFor();
  assert.equal(await bar.count(), 0);

  ({ promise: released, resolve: release } = Promise.withResolvers<void>());
  await beginImport();
  await bar.getByRole('button', { name: 'Stop' }).click();
  await bar.getByText('listings.csv was not fully imported. Import stopped.').waitFor();
  await bar.getByRole('button', { name: 'Dismiss' }).click();
  await bar.waitFor({ state: 'detached' });
  release();
  assert.equal(await countListings(tenant), 2);
});
