import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createPerson } from '../../testkit/src/browser.ts';
import { startTestService, type Tenant } from '../../testkit/src/service.ts';
import { until } from '../../testkit/src/until.ts';
import { launchBrowser } from './support/chromium.ts';
import { fillSignIn, openWindow, signInByForm } from './support/window.ts';

const service = await startTestService();
const chromium = await launchBrowser();
after(async () => {
  await chromium.close();
  await service[Symbol.asyncDispose]();
});

const UNDO_MS = 8_000;
/** After that what was loaded is loaded anew when somebody comes back to the window. */
const STALE_MS = 10_000;

/** An account with listings, and a window in which its administrator looks at them. */
async function openListings(count: number) {
  const tenant = await service.createTenant();
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      address: `${index + 1} Elm Street`,
      beds: index % 5,
      baths: 1,
      city: index % 2 ? 'Austin' : 'Waco',
    }),
  );
  if (count > 0) {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    await service.fetch(tenant, '/v1/imports', { method: 'POST', headers, body: lines.join('\n') });
  }
  const person = await createPerson(service, { accountId: tenant.accountId });
  const window = await openWindow(chromium, service);
  await signInByForm(window.page, person);
  await window.page.goto('/listings');
  return { tenant, window, person };
}

async function addresses(page: Page): Promise<string[]> {
  return page.getByRole('table', { name: 'Listings' }).getByRole('link').allInnerTexts();
}

async function untilFocused(target: Locator): Promise<void> {
  await until(`${target} has the focus`, () => target.evaluate((element) => element === document.activeElement));
}

async function countListings(tenant: Tenant): Promise<number> {
  const { data } = await (await service.fetch(tenant, '/v1/listings')).json();
  return data.length;
}

test('what is wrong stands beside the fields, and no number is guessed', async () => {
  const { tenant, window } = await openListings(0);
  await using _ = window;
  const { page, problems } = window;
  await page.getByRole('link', { name: 'Create the first one' }).click();
  await page.getByLabel('Beds').fill('2.5');
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByText('Must be a whole number.').waitFor();
  const address = page.getByLabel('Address', { exact: true });
  assert.equal(await address.getAttribute('aria-invalid'), 'true');
  await untilFocused(address);
  assert.equal(await countListings(tenant), 0);

  await address.fill('7 Oak Avenue');
  await page.getByLabel('Beds').fill('2');
  await page.getByLabel('Baths').fill('1');
  for (const _ of [1, 2]) await page.getByRole('button', { name: 'Add a photo' }).click();
  const photo = page.getByLabel('Address of photo 2');
  await photo.fill('http://example.com/1.jpg');
  await page.getByLabel('Price').fill('450.000');
  await page.getByLabel('Currency').fill('gbp');
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByText('Write 450000 or 450, whichever is meant.').waitFor();
  assert.equal(await photo.getAttribute('aria-invalid'), 'true', 'a row with nothing in it does not count');
  await photo.fill('https://example.com/1.jpg');
  assert.equal(await countListings(tenant), 0);
  await page.getByLabel('Price').fill('450,000');
  for (const number of [1, 2]) {
    await page.getByRole('button', { name: 'Add a value' }).click();
    await page.getByLabel(`Name of value ${number}`).fill('agent');
  }
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByText('Another value has this name.').waitFor();
  await untilFocused(page.getByLabel('Name of value 2'));
  assert.equal(await countListings(tenant), 0);
  await page.getByRole('button', { name: 'Remove value 2' }).click();
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByRole('row', { name: /7 Oak Avenue.*£450,000/ }).waitFor();
  assert.deepEqual(await addresses(page), ['7 Oak Avenue']);
  assert.deepEqual(problems, []);
});

test('a listing is edited; what two people write at the same time is put together, or given up knowingly', async () => {
  const { tenant, window } = await openListings(1);
  await using _ = window;
  const { page, problems } = window;
  const { data } = await (await service.fetch(tenant, '/v1/listings')).json();
  const path = `/v1/listings/${data[0].id}`;
  const save = page.getByRole('button', { name: 'Save changes' });
  const note = page.getByRole('alert');

  async function changeElsewhere(change: object): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    await service.fetch(tenant, path, { method: 'PATCH', headers, body: JSON.stringify(change) });
  }

  await page.getByRole('link', { name: '1 Elm Street' }).click();
  await page.getByLabel('City').fill('Dallas');
  await changeElsewhere({ beds: 4, city: 'Houston' });
  await save.click();
  await note.getByText('Beds, now 4').waitFor();
  await note.getByText('City, now Houston – you changed it, too').waitFor();
  await untilFocused(note);
  await page.getByRole('button', { name: 'Keep my changes' }).click();
  await note.waitFor({ state: 'detached' });
  const fields = () => Promise.all(['City', 'Beds'].map((label) => page.getByLabel(label).inputValue()));
  assert.deepEqual(await fields(), ['Dallas', '4']);
  await untilFocused(page.locator('#main'));

  await changeElsewhere({ beds: 5 });
  await save.click();
  await page.getByRole('button', { name: 'Discard my changes' }).click();
  await note.waitFor({ state: 'detached' });
  assert.deepEqual(await fields(), ['Houston', '5']);

  await page.getByLabel('City').fill('Dallas');
  await page.context().setOffline(true);
  await save.click();
  await note.getByText(/cannot be reached/).waitFor();
  await untilFocused(note);
  assert.match(problems.splice(0).join(), /^Failed to load resource: net::ERR_INTERNET_DISCONNECTED$/);
  await page.context().setOffline(false);
  await save.click();
  await page.getByText('Dallas').waitFor();
  const saved = await (await service.fetch(tenant, path)).json();
  assert.deepEqual([saved.city, saved.beds, saved.version], ['Dallas', 5, 4]);
  assert.deepEqual(problems, []);
});

test('what was typed into a form survives going back, a reload and the end of the session', async () => {
  const { tenant, window, person } = await openListings(1);
  await using _ = window;
  const { page, problems } = window;
  const address = page.getByLabel('Address', { exact: true });

  await page.getByRole('link', { name: '1 Elm Street' }).click();
  await page.getByLabel('City').fill('Dallas');
  await page.goBack();
  await page.getByRole('link', { name: 'New listing' }).click();
  await address.fill('7 Oak Avenue');
  await page.getByLabel('Beds').fill('2');
  await page.getByLabel('Baths').fill('1');
  await page.getByRole('button', { name: 'Add a photo' }).click();
  await page.getByLabel('Address of photo 1').fill('https://example.com/1.jpg');
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await page.goto('/listings/new');
  await page.getByText('did not save').waitFor();

  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByLabel('E-mail').waitFor();
  await fillSignIn(page, person);
  await page.getByText('did not save').waitFor();
  assert.equal(await address.inputValue(), '7 Oak Avenue');
  assert.equal(await countListings(tenant), 1);
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByRole('row', { name: /7 Oak Avenue/ }).waitFor();
  const { data } = await (await service.fetch(tenant, '/v1/listings')).json();
  assert.deepEqual(data[0].photos, [{ url: 'https://example.com/1.jpg' }]);

  await page.getByRole('link', { name: '1 Elm Street' }).click();
  await page.getByText('did not save').waitFor();
  assert.equal(await page.getByLabel('City').inputValue(), 'Dallas');
  await page.getByRole('button', { name: 'Discard it' }).click();
  assert.equal(await page.getByLabel('City').inputValue(), 'Waco');
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('link', { name: 'New listing' }).click();
  assert.equal(await address.inputValue(), '');
  await address.fill('8 Oak Avenue');
  await page.getByRole('button', { name: /^Your menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail').waitFor();
  assert.equal(new URL(page.url()).search, '', 'who signs out is not told that they were');
  assert.equal(await page.evaluate(() => JSON.stringify(sessionStorage).includes('Oak')), false);
  assert.deepEqual(problems, []);
});

test('search, filters, order and page stand in the address: reload and the back button keep them', async () => {
  const { window } = await openListings(130);
  await using _ = window;
  const { page, problems } = window;
  await page.getByText('1–50 of 130').waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('City').fill('Austin');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('1–50 of 65').waitFor();
  await page.getByRole('button', { name: 'Beds' }).click();
  await page.waitForURL(/sort=-beds/);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('51–65 of 65').waitFor();
  const shown = await addresses(page);
  assert.equal(shown.length, 15);

  await page.reload();
  await page.getByText('51–65 of 65').waitFor();
  assert.deepEqual(await addresses(page), shown);
  assert.equal(await page.getByRole('columnheader', { name: 'Beds' }).getAttribute('aria-sort'), 'descending');
  await page.goBack();
  await page.getByText('1–50 of 65').waitFor();
  const field = page.getByRole('searchbox');
  await field.pressSequentially('elm ');
  await page.waitForURL(/q=elm/);
  await field.pressSequentially('str');
  await page.waitForURL(/q=elm[+]str/);
  assert.equal(await field.inputValue(), 'elm str');
  await page.goto('/listings');
  await page.getByText('1–50 of 130').waitFor();
  await field.fill('13');
  await page.waitForURL(/q=13/);
  await page.getByText('listings match').waitFor();
  assert.deepEqual(problems, []);
});

test('a filter that cannot be told is mended beside its field; the keyboard stays where the work goes on', async () => {
  const { window } = await openListings(3);
  await using _ = window;
  const { page, problems } = window;
  const filters = page.getByRole('button', { name: /^Filters/ });
  const price = page.getByLabel('Price to');
  const apply = page.getByRole('button', { name: 'Apply' });

  await filters.click();
  for (const [text, words] of [
    ['abc', 'Write a number such as 450000 or 1250.5.'],
    ['200.000', 'Write 200000 or 200, whichever is meant.'],
  ] as const) {
    await price.fill(text);
    await apply.click();
    await page.getByText(words).waitFor();
    await untilFocused(price);
  }
  await price.fill('200,000');
  await page.getByLabel('Beds, at least').fill('1.5');
  await apply.click();
  await page.getByText('Must be a whole number.').waitFor();
  assert.equal((await addresses(page)).length, 3);
  await page.getByLabel('Beds, at least').fill('');
  await page.keyboard.press('Enter');
  await page.getByText('Price to: 200,000').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('listPrice[lte]'), '200000');
  await untilFocused(filters);
  await page.getByRole('button', { name: 'Remove Price to' }).click();
  await page.getByRole('row', { name: /1 Elm Street/ }).waitFor();
  await untilFocused(filters);

  await page.getByRole('button', { name: 'Actions for 2 Elm Street' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await untilFocused(page.getByRole('button', { name: 'Actions for 1 Elm Street' }));
  await page.getByRole('button', { name: 'Undo' }).click();
  await untilFocused(page.locator('#main'));

  await page.goto('/listings?sort=foo&status=bogus');
  await page.getByText('This list cannot be shown').waitFor();
  assert.equal(await page.getByText('createdAt').count(), 0);
  await page.getByRole('link', { name: 'Show all listings' }).click();
  await page.getByRole('row', { name: /1 Elm Street/ }).waitFor();
  assert.deepEqual(problems, []);
});

test('a page that is opened by its address does not say where in the list it stands, nor do those after it', async () => {
  const { window } = await openListings(60);
  await using _ = window;
  const { page, problems } = window;
  await page.goto('/listings?limit=25');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('26–50 of 60').waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByText('25 of 60', { exact: true }).waitFor();
  await other.getByRole('button', { name: 'Next' }).click();
  await other.getByText('10 of 60', { exact: true }).waitFor();
  await other.getByRole('button', { name: 'Previous' }).click();
  await other.getByText('25 of 60', { exact: true }).waitFor();
  await other.getByRole('button', { name: 'First page' }).click();
  await other.getByText('1–25 of 60').waitFor();
  assert.deepEqual(problems, []);
});

test('a list that cannot be loaded anew stays, and says that it may be out of date', async () => {
  const { window } = await openListings(1);
  await using _ = window;
  const { page, problems } = window;
  await page.clock.install();
  await page.goto('/listings');
  await page.getByRole('row', { name: /1 Elm Street/ }).waitFor();
  const json = { error: { code: 'forbidden', message: 'Not now.' } };
  await page.route('**/admin/listings?*', (route) => route.fulfill({ status: 403, json }));
  await page.clock.runFor(STALE_MS);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await page.getByRole('alert').getByText('This may be out of date. Not now.').waitFor();
  assert.deepEqual(await addresses(page), ['1 Elm Street']);
  await page.unroute('**/admin/listings?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

test('a deletion can be taken back for eight seconds, and is sent only then', async () => {
  const { tenant, window } = await openListings(2);
  await using _ = window;
  const { page, problems } = window;
  await page.getByRole('row', { name: /1 Elm Street/ }).waitFor();
  await page.clock.install();

  async function deleteFirst(): Promise<void> {
    await page.getByRole('button', { name: 'Actions for 1 Elm Street' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('row', { name: /1 Elm Street/ }).waitFor({ state: 'detached' });
  }

  await deleteFirst();
  await page.clock.runFor(UNDO_MS - 1_000);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /1 Elm Street/ }).waitFor();
  await page.clock.runFor(UNDO_MS);
  assert.equal(await countListings(tenant), 2);

  await deleteFirst();
  assert.equal(await countListings(tenant), 2);
  await page.clock.runFor(UNDO_MS);
  await until('the listing is deleted', async () => (await countListings(tenant)) === 1);
  assert.deepEqual(problems, []);
});

test('quick deletions have one note; each is sent once, and none can be taken back from then on', async () => {
  const { tenant, window } = await openListings(6);
  await using _ = window;
  const { page, problems } = window;
  await page.getByRole('row', { name: /1 Elm Street/ }).waitFor();
  await page.clock.install();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let sent = 0;
  await page.route('**/admin/listings/*', async (route) => {
    sent += 1;
    await released;
    await route.continue();
  });

  for (const number of [1, 2, 3, 4, 5]) {
    await page.getByRole('button', { name: `Actions for ${number} Elm Street` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
  }
  await page.getByText('Deleted 5 listings.').waitFor();
  await page.getByText('1–1 of 1').waitFor();
  await page.getByRole('button', { name: 'Undo' }).hover();
  // Somebody else deletes one of them meanwhile.
  const { data } = await (await service.fetch(tenant, '/v1/listings')).json();
  const { id } = data.find(({ address }: { address: string }) => address === '1 Elm Street');
  await service.fetch(tenant, `/v1/listings/${id}`, { method: 'DELETE' });

  await page.clock.runFor(UNDO_MS);
  await until('all are sent', async () => sent === 5);
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /Your menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  release();
  await page.getByLabel('E-mail').waitFor();
  assert.deepEqual([sent, await page.getByRole('alert').count(), await countListings(tenant)], [5, 0, 1]);
  assert.deepEqual(problems, []);
});

test('a deletion is carried out when the page is left', async () => {
  const { tenant, window } = await openListings(2);
  await using _ = window;
  const { page } = window;
  await page.getByRole('button', { name: 'Actions for 2 Elm Street' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.goto('/docs');
  await until('the listing is deleted', async () => (await countListings(tenant)) === 1);
});

test('a CSV file is imported: good rows are kept, the refused ones told line by line', async () => {
  const { tenant, window } = await openListings(0);
  await using _ = window;
  const { page, problems } = window;
  await page.goto('/listings/import');
  const csv = 'address,beds,baths\n1 Oak Avenue,3,2\n,2.5,1\n3 Oak Avenue,1,1\n4 Oak Avenue,none,1\n';
  const file = { name: 'listings.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.getByLabel('File').setInputFiles(file);

  await page.getByRole('button', { name: 'Check only' }).click();
  await page.getByText('Would be created').waitFor();
  assert.equal(await countListings(tenant), 0);

  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('Created', { exact: true }).waitFor();
  const rows = await page.getByRole('table', { name: 'Refused rows' }).getByRole('row').allInnerTexts();
  assert.deepEqual(
    rows.slice(1).map((row) => row.split('\t').slice(0, 2)),
    [
      ['3', 'address'],
      ['3', 'beds'],
      ['5', 'beds'],
    ],
  );
  assert.equal(await countListings(tenant), 2);

  assert.equal(await page.getByRole('button', { name: 'Import', exact: true }).count(), 0, 'once is enough');
  await page.getByRole('link', { name: 'Go to listings' }).click();
  await page.getByRole('row', { name: /3 Oak Avenue/ }).waitFor();
  assert.deepEqual(problems, []);
});

test('a file whose columns are not known is not imported before somebody has said what becomes of them', async () => {
  const { tenant, window } = await openListings(0);
  await using _ = window;
  const { page, problems } = window;
  await page.goto('/listings/import');
  const note = page.getByRole('alert');
  const put = (text: string) =>
    page.getByLabel('File').setInputFiles({ name: 'listings.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

  await put('address;beds;baths\n5 Oak Avenue;3;2\n');
  await page.getByRole('button', { name: 'Check only' }).click();
  await note.getByText(/Save it with commas/).waitFor();
  await untilFocused(note);
  assert.equal(await page.getByText('Would be created').count(), 0);

  await put('address,beds,baths,price,colour\n5 Oak Avenue,3,2,450000,red\n');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await note.getByText(/a column price, which is not known here. Rename it listPrice/).waitFor();
  await note.getByText(/a column colour/).waitFor();
  assert.equal(await countListings(tenant), 0);
  await page.getByLabel(/^Import without price, colour/).check();
  await page.getByRole('button', { name: 'Check only' }).click();
  await page.getByText('Would be created').waitFor();
  await untilFocused(page.getByRole('status', { name: 'Result of the check' }));

  await page.getByRole('button', { name: 'Download a template' }).click();
  await put('address,beds,baths,listPrice\n5 Oak Avenue,3,2,450000\n');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('link', { name: 'Go to listings' }).waitFor();
  assert.equal(await countListings(tenant), 1);
  assert.deepEqual(problems, []);
});

test('an import goes on while other pages are looked at: its report waits, and it can be stopped from there', async () => {
  const { tenant, window } = await openListings(1);
  await using _ = window;
  const { page, problems } = window;
  let { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/admin/imports*', async (route) => {
    await released;
    await route.continue().catch(() => undefined);
  });
  const bar = page.getByRole('region', { name: 'Import' });
  async function beginImport(): Promise<void> {
    const buffer = Buffer.from('address,beds,baths\n1 Oak Avenue,3,2\n2 Oak Avenue,none,1\n');
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByLabel('File').setInputFiles({ name: 'listings.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('link', { name: 'Listings' }).click();
    await bar.getByText('listings.csv is being imported.').waitFor();
  }

  await beginImport();
  await page.getByRole('button', { name: /Your menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByText('An import is running').waitFor();
  release();
  await bar.getByText('listings.csv was imported: 1 created, 0 changed, 1 row refused.').waitFor();
  await page.getByRole('row', { name: /1 Oak Avenue/ }).waitFor();
  await bar.getByRole('link', { name: 'Show the report' }).click();
  await page.getByRole('table', { name: 'Refused rows' }).waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('row', { name: /1 Oak Avenue/ }).waitFor();
  assert.equal(await bar.count(), 0);

  ({ promise: released, resolve: release } = Promise.withResolvers<void>());
  await beginImport();
  await bar.getByRole('button', { name: 'Stop' }).click();
  await bar.getByText('listings.csv was not imported to its end. Stopped.').waitFor();
  await bar.getByRole('button', { name: 'Dismiss' }).click();
  await bar.waitFor({ state: 'detached' });
  release();
  assert.equal(await countListings(tenant), 2);
  assert.deepEqual(problems, []);
});

test('an export has what the filters leave, all pages of it', async () => {
  const { window } = await openListings(130);
  await using _ = window;
  const { page, problems } = window;
  await page.goto('/listings?city=Austin&limit=25');
  await page.getByText('1–25 of 65').waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^CSV/ }).click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  assert.equal(text.trimEnd().split('\r\n').length, 66);
  assert.match(download.suggestedFilename(), /^listings-.*\.csv$/);
  assert.deepEqual(problems, []);
});
