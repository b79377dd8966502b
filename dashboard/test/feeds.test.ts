import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { OPERATOR } from '../../server/src/domain/access/audit.ts';
import { createAdministrator } from '../../server/src/domain/accounts/administrators.ts';
import { createPerson, signIn } from '../../testkit/src/browser.ts';
import type { Tenant } from '../../testkit/src/service.ts';
import { until } from '../../testkit/src/until.ts';
import { assertFits, fillSignIn, openPage, startDashboard } from './support/window.ts';

const { service, openSignedIn } = await startDashboard();

function csvOf(...rows: string[]) {
  const buffer = Buffer.from(['externalId,address,beds,baths', ...rows].join('\n'));
  return { name: 'listings.csv', mimeType: 'text/csv', buffer };
}

/** Sends a feed's first file through the API, and then changes the feed's settings. */
async function createFeed(tenant: Tenant, name: string, settings: object = {}): Promise<void> {
  const path = `/v1/feeds/${name}`;
  const body = csvOf('A-1,1 Elm Street,3,2').buffer;
  await service.fetch(tenant, path, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body });
  const headers = { 'Content-Type': 'application/json' };
  const changed = await service.fetch(tenant, path, { method: 'PATCH', headers, body: JSON.stringify(settings) });
  assert.equal(changed.status, 200);
}

async function feedOf(tenant: Tenant, name: string) {
  return (await service.fetch(tenant, `/v1/feeds/${name}`)).json();
}

async function countOf(page: Page, label: string, name: string): Promise<string> {
  const figure = page.getByLabel(label, { exact: true }).locator('.figure').filter({ hasText: name });
  return (await figure.locator('.figure-number').innerText()).trim();
}

test('a feed is created from a file after a look at its plan, and its failed rows can be downloaded', async () => {
  await using window = await openSignedIn();
  const { page, person } = window;
  await page.getByRole('link', { name: 'Feeds' }).click();
  await page.getByText('No feeds yet').waitFor();
  await page.getByRole('link', { name: 'New feed' }).click();
  await page.getByLabel('Name').fill('mls');
  await page.getByLabel('If a listing is missing').selectOption('Set its status to Withdrawn');
  await page.getByLabel('Max. failed rows').fill('50%');
  await page.getByLabel('Expected every (hours)').fill('24');
  await page.getByLabel('File').setInputFiles(csvOf('A-1,1 Elm Street,3,2', 'A-2,2 Elm Street,3,2', 'A-3,,3,2'));
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('row', { name: /A-1.*1 Elm Street/ }).waitFor();
  await page.getByLabel('Max. failed rows').fill('60%');
  await page.getByRole('row', { name: /A-1.*1 Elm Street/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Check the file' }).click();
  assert.equal(await countOf(page, 'Result of the check', 'Created'), '2');
  await page.getByRole('row', { name: /4.*A-3.*Address/ }).waitFor();
  assert.equal((await (await signIn(service, person)).ask('GET', '/admin/listings')).data.length, 0);
  await page.getByRole('button', { name: 'Apply 2 changes' }).click();
  await page.getByRole('heading', { level: 1, name: 'Run of mls' }).waitFor();
  assert.equal(await countOf(page, 'Result', 'Created'), '2');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as CSV' }).click(),
  ]);
  assert.match(await readFile(await download.path(), 'utf8'), /^line,code,message,details,externalId.*\r\n4,.*A-3/);
  await page.getByRole('link', { name: 'mls' }).click();
  await page.getByText('Set its status to Withdrawn').waitFor();
  await page.getByText('Every 24 hours, next', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'Feeds', exact: true }).first().click();
  await page.getByRole('row', { name: /mls.*OK/ }).waitFor();
});

test('the guard stops a run that would delete too many listings, unless its plan is applied anyway', async () => {
  await using window = await openSignedIn({ width: 390 });
  const { page } = window;
  const rows = Array.from({ length: 20 }, (_, index) => `B-${index},${index} Oak Avenue,3,2`);
  await openPage(page, '/feeds/new', 'New feed');
  await page.getByLabel('Name').fill('partner');
  await page.getByLabel('File').setInputFiles(csvOf(...rows));
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Apply 20 changes' }).click();
  await page.getByRole('heading', { level: 1, name: 'Run of partner' }).waitFor();

  await openPage(page, '/feeds/partner', 'partner');
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('If a listing is missing').selectOption('Delete it');
  await dialog.getByLabel('Max. missing listings').fill('lots');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.locator('[aria-invalid=true]').waitFor();
  await dialog.getByLabel('Max. missing listings').fill('10%');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Send a file' }).click();
  await page.getByLabel('File').setInputFiles(csvOf(...rows, 'B-20,"20 Oak'));
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('the file ends in the middle of the row').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Apply' }).count(), 0);
  await page.getByLabel('File').setInputFiles(csvOf(...rows.slice(0, 12)));
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('The guard would stop this run').waitFor();
  assert.equal(await countOf(page, 'Result of the check', 'Missing'), '8');
  await assertFits(page);
  await page.getByRole('button', { name: 'Apply anyway' }).click();
  await page.getByRole('heading', { level: 1, name: 'Run of partner' }).waitFor();
  assert.equal(await countOf(page, 'Result', 'Deleted'), '8');

  await openPage(page, '/feeds/partner', 'partner');
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByLabel('Delete 12 listings').check();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No feeds yet').waitFor();
  await openPage(page, '/listings', 'Listings');
  await page.getByText('No listings yet').waitFor();
});

test('the columns of a file are mapped, remembered, and can be edited', async () => {
  await using window = await openSignedIn({ width: 820 });
  const { page, person } = window;
  const api = await signIn(service, person);
  const feed = () => api.ask('GET', '/admin/feeds/office');
  const file = (header: string, row: string) => ({
    name: 'listings.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`${header}\n${row}`),
  });
  await openPage(page, '/feeds/new', 'New feed');
  await page.getByLabel('Name').fill('office');
  await page.getByLabel('File').setInputFiles(file('Ref,Street,Beds,Bathrooms,Agent', 'A-1,1 Elm Street,3,2,Grace'));
  await page.getByText('Not imported: Agent.').waitFor();
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByRole('heading', { level: 1, name: 'Run of office' }).waitFor();
  const map = { Ref: 'externalId', Street: 'address', Beds: 'beds', Bathrooms: 'baths' };
  const { map: stored, ignoreUnknown } = await feed();
  assert.deepEqual([stored, ignoreUnknown], [map, true]);

  // A file with other columns does not use the stored mapping.
  await openPage(page, '/feeds/office/send', 'Send a file to office');
  await page.getByLabel('File').setInputFiles(file('externalId,address,beds,baths', 'A-1,2 Elm Street,3,2'));
  await page.getByLabel('Remember these columns').uncheck();
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByRole('heading', { level: 1, name: 'Run of office' }).waitFor();
  assert.deepEqual((await feed()).map, map);

  await openPage(page, '/feeds/office', 'office');
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Column', { exact: true }).fill('Agent');
  await dialog.getByRole('button', { name: 'Add column' }).click();
  await dialog.getByLabel('Field of Agent').selectOption('Custom field “Agent”');
  await dialog.getByRole('button', { name: 'Remove Beds' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { Beds: _beds, ...rest } = map;
  assert.deepEqual((await feed()).map, { ...rest, Agent: 'metadata.Agent' });
});

test('a column that is no longer imported, or has its default field again, is remembered as such', async () => {
  const tenant = await service.createTenant();
  const map = { Agent: 'metadata.Agent', city: 'metadata.town', Remark: 'metadata.Remark' };
  await createFeed(tenant, 'office', { map });
  await using window = await openSignedIn({ person: await createPerson(service, { accountId: tenant.accountId }) });
  const { page } = window;
  await openPage(page, '/feeds/office/send', 'Send a file to office');
  const text = 'externalId,address,beds,baths,Agent,city\nA-2,2 Elm Street,3,2,Grace,Austin';
  await page
    .getByLabel('File')
    .setInputFiles({ name: 'listings.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.getByLabel('Field of Agent').selectOption('Not imported');
  await page.getByLabel('Field of city').selectOption('City');
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByRole('heading', { level: 1, name: 'Run of office' }).waitFor();
  assert.deepEqual((await feedOf(tenant, 'office')).map, { Agent: '', Remark: 'metadata.Remark' });
});

test('a new feed cannot have the name of an existing feed, whose settings stay', async () => {
  const tenant = await service.createTenant();
  await createFeed(tenant, 'mls', { missing: 'withdraw', missingMax: '10%' });
  await using window = await openSignedIn({ person: await createPerson(service, { accountId: tenant.accountId }) });
  const { page } = window;
  await openPage(page, '/feeds/new', 'New feed');
  const check = page.getByRole('button', { name: 'Check the file' });
  await page.getByLabel('File').setInputFiles(csvOf('A-2,2 Elm Street,3,2'));
  await page.getByLabel('Name').fill('mls2');
  await check.click();
  await page.getByRole('button', { name: 'Apply 1 change' }).waitFor();
  await page.getByLabel('Name').fill('mls');
  await page.getByText('Another feed has this name.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Apply 1 change' }).isDisabled());
  await page.getByRole('button', { name: 'Back to columns' }).click();
  assert.ok(await check.isDisabled());
  await page.getByRole('link', { name: 'Send a file to it' }).click();
  await page.getByRole('heading', { level: 1, name: 'Send a file to mls' }).waitFor();
  const { missing, missingMax, listings } = await feedOf(tenant, 'mls');
  assert.deepEqual([missing, missingMax, listings], ['withdraw', '10%', 1]);
});

test('while a file is applied, accounts cannot be switched; its columns are kept even on another page', async () => {
  const [home, lakeside] = [await service.createTenant('Hill Country Homes'), await service.createTenant('Lakeside')];
  for (const tenant of [home, lakeside]) await createFeed(tenant, 'mls');
  const person = await createPerson(service, { accountId: home.accountId });
  await createAdministrator(service.database, lakeside.accountId, person, 'administrator', OPERATOR);
  await using window = await openSignedIn({ person });
  const { page } = window;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const choose = async (name: string) => {
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose('Hill Country Homes');
  await page.getByRole('button', { name: 'Account: Hill Country Homes' }).waitFor();
  await applyFile(page, released);
  await choose('Lakeside');
  await page.getByText('A file is being sent to a feed. Wait until it has been applied.').waitFor();
  await page.getByRole('link', { name: 'Listings' }).click();
  await page.getByRole('row', { name: /1 Elm Street/ }).waitFor();
  release();
  await page.getByText('The file was applied.').waitFor();
  await page.getByRole('row', { name: /2 Elm Street/ }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/listings');
  assert.deepEqual((await feedOf(home, 'mls')).map, { Street: 'address' });

  await until('the account can be switched', async () => {
    await choose('Lakeside');
    return page.getByRole('button', { name: 'Account: Lakeside' }).isVisible();
  });
  assert.deepEqual((await feedOf(lakeside, 'mls')).map, {});
});

test('a file that is applied after another user has signed in changes nothing in that user’s account', async () => {
  const [home, lakeside] = [await service.createTenant(), await service.createTenant()];
  for (const tenant of [home, lakeside]) await createFeed(tenant, 'mls');
  const [ada, grace] = await Promise.all([home, lakeside].map(({ accountId }) => createPerson(service, { accountId })));
  await using window = await openSignedIn({ ...(ada && { person: ada }) });
  const { page } = window;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const changes: string[] = [];
  page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()));
  await applyFile(page, released, { id: 'run_1', feed: 'mls' });
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Listings' }).click();
  await page.getByLabel('E-mail').waitFor();
  await fillSignIn(page, { email: grace?.email ?? '' });
  const answered = page.waitForResponse(/plan=/);
  release();
  await answered;
  await page.getByRole('link', { name: 'Feeds' }).click();
  await page.getByRole('row', { name: /mls/ }).waitFor();
  assert.deepEqual(changes, []);
  assert.equal(await page.getByText('The file was applied.').count(), 0);
});

/** Applies a file to the feed `mls`. After `released`, the response is `run`, by default the service's own. */
async function applyFile(page: Page, released: Promise<void>, run?: object): Promise<void> {
  await page.route(/plan=/, async (route) => {
    await released;
    await (run === undefined ? route.continue() : route.fulfill({ json: run }));
  });
  await openPage(page, '/feeds/mls/send', 'Send a file to mls');
  const buffer = Buffer.from('externalId,Street,beds,baths\nA-1,1 Elm Street,3,2\nA-2,2 Elm Street,3,2');
  await page.getByLabel('File').setInputFiles({ name: 'listings.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByRole('button', { name: 'Stop' }).waitFor();
}

test('words, default values, and the decimal separator are set with the first file, remembered, and can be edited', async () => {
  await using window = await openSignedIn();
  const { page, person } = window;
  const api = await signIn(service, person);
  const rows = ['A-1;1 Elm Street;3;2;389.000;verkauft;112,5', 'A-2;2 Elm Street;3;2;auf Anfrage;frei;86 m²'];
  const text = ['externalId;address;beds;baths;listPrice;status;livingArea', ...rows].join('\n');
  const file = { name: 'makler.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await openPage(page, '/feeds/new', 'New feed');
  await page.getByLabel('Name').fill('makler');
  await page.getByLabel('Max. failed rows').fill('100%');
  await page.getByLabel('File').setInputFiles(file);
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('add this line under Words with the right value: status:verkauft = …').waitFor();
  await page
    .getByText('if it means that there is no value, add this line under Words: listPrice:auf Anfrage', { exact: false })
    .waitFor();
  await page.getByText('can mean 389000 or 389. Choose the decimal separator.').waitFor();
  await page.getByLabel('Decimal separator').selectOption('Comma (267.500 is 267500)');
  await page.getByLabel('Words').fill('status:verkauft = closed\n\nstatus:frei=active\nlistPrice:auf Anfrage =');
  await page.getByLabel('Default values').fill('currency = EUR');
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('line 2 does not name a unit', { exact: false }).waitFor();
  assert.equal(await countOf(page, 'Result of the check', 'Created'), '2');
  await page.getByRole('button', { name: 'Apply 2 changes' }).click();
  await page.getByRole('heading', { level: 1, name: 'Run of makler' }).waitFor();
  const { data } = await api.ask('GET', '/admin/listings?fields=externalId,listPrice,currency,status');
  assert.deepEqual(
    data.map(({ listPrice, currency, status }: Record<string, unknown>) => [listPrice, currency, status]),
    [
      [undefined, undefined, 'active'],
      [389_000, 'EUR', 'closed'],
    ],
  );

  await openPage(page, '/feeds/makler', 'makler');
  await page.getByText('status:verkauft → closed', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(
    await dialog.getByLabel('Words').inputValue(),
    'status:verkauft = closed\nstatus:frei = active\nlistPrice:auf Anfrage = \n',
  );
  await dialog.getByLabel('Words').fill('status:frei = sold');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.locator('[aria-invalid=true]').waitFor();
  await dialog.getByLabel('Words').fill('status:frei = active');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { values, defaults, decimal } = await api.ask('GET', '/admin/feeds/makler');
  assert.deepEqual([values, defaults, decimal], [{ 'status:frei': 'active' }, { currency: 'EUR' }, 'comma']);
});
