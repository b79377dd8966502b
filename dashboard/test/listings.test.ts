import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Tenant } from '../../testkit/src/service.ts';
import { until } from '../../testkit/src/until.ts';
import { fillSignIn, openListings as openAt, signOut, startDashboard, untilFocused } from './support/window.ts';

const dashboard = await startDashboard();
const { service } = dashboard;

const UNDO_MS = 8_000;
/** Data older than this is reloaded when the window gets the focus. */
const STALE_MS = 10_000;

const openListings = (count: number) => openAt(dashboard, count);

async function addresses(page: Page): Promise<string[]> {
  return page.getByRole('table', { name: 'Listings' }).getByRole('link').allInnerTexts();
}

async function countListings(tenant: Tenant): Promise<number> {
  const { data } = await (await service.fetch(tenant, '/v1/listings')).json();
  return data.length;
}

test('errors are shown beside their fields, and ambiguous numbers are not guessed', async () => {
  await using list = await openListings(0);
  const { page, tenant } = list;
  await page.getByRole('link', { name: 'Create a listing' }).click();
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
  for (const _ of [1, 2]) await page.getByRole('button', { name: 'Add photo' }).click();
  const photo = page.getByLabel('URL of photo 2');
  await photo.fill('http://example.com/1.jpg');
  await page.getByLabel('Price', { exact: true }).fill('450.000');
  await page.getByRole('combobox', { name: 'Currency' }).fill('gbp');
  await page.getByRole('option', { name: 'British Pound (GBP)' }).click();
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByText('Did you mean 450,000 or 450?').waitFor();
  assert.equal(await photo.getAttribute('aria-invalid'), 'true', 'empty rows are ignored');
  await photo.fill('https://example.com/1.jpg');
  assert.equal(await countListings(tenant), 0);
  await page.getByLabel('Price', { exact: true }).fill('£450,000');
  await page.getByText('Did you mean').waitFor({ state: 'detached' });
  for (const number of [1, 2]) {
    await page.getByRole('button', { name: 'Add custom field' }).click();
    await page.getByLabel(`Name of custom field ${number}`).fill('agent');
  }
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByText('Another custom field has this name.').waitFor();
  await untilFocused(page.getByLabel('Name of custom field 2'));
  assert.equal(await countListings(tenant), 0);
  await page.getByRole('button', { name: 'Remove custom field 2' }).click();
  await page.getByLabel('Close price').fill('445,000');
  await page.getByLabel('Closed on').fill('2026-11-22');
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByRole('row', { name: /7 Oak Avenue.*£450,000/ }).waitFor();
  assert.deepEqual(await addresses(page), ['7 Oak Avenue']);
  const { data } = await (await service.fetch(tenant, '/v1/listings')).json();
  assert.deepEqual([data[0].closePrice, data[0].closeDate, data[0].currency], [445_000, '2026-11-22', 'GBP']);
});

test('concurrent edits of a listing are merged, or discarded by choice', async () => {
  await using list = await openListings(1);
  const { page, problems, tenant } = list;
  const { data } = await (await service.fetch(tenant, '/v1/listings')).json();
  const path = `/v1/listings/${data[0].id}`;
  const save = page.getByRole('button', { name: 'Save changes' });
  const note = page.getByRole('alert');

  async function changeElsewhere(change: object): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    await service.fetch(tenant, path, { method: 'PATCH', headers, body: JSON.stringify(change) });
  }

  await page.getByRole('link', { name: '1 Elm Street' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('City').fill('Dallas');
  await changeElsewhere({ beds: 4, city: 'Houston' });
  await save.click();
  await note.getByText('Beds, now 4').waitFor();
  await note.getByText('City, now Houston – you also changed it').waitFor();
  await untilFocused(note);
  await page.getByRole('button', { name: 'Apply my changes' }).click();
  await note.waitFor({ state: 'detached' });
  const fields = () => Promise.all(['City', 'Beds'].map((label) => page.getByLabel(label).inputValue()));
  assert.deepEqual(await fields(), ['Dallas', '4']);
  await untilFocused(page.getByRole('dialog'));

  await changeElsewhere({ beds: 5 });
  await save.click();
  await page.getByRole('button', { name: 'Discard my changes' }).click();
  await note.waitFor({ state: 'detached' });
  assert.deepEqual(await fields(), ['Houston', '5']);

  await page.getByLabel('City').fill('Dallas');
  await page.context().setOffline(true);
  await save.click();
  await note.getByText(/can’t be reached/).waitFor();
  await untilFocused(note);
  assert.match(problems.splice(0).join(), /^Failed to load resource: net::ERR_INTERNET_DISCONNECTED$/);
  await page.context().setOffline(false);
  await save.click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('definition').getByText('Dallas').waitFor();
  const saved = await (await service.fetch(tenant, path)).json();
  assert.deepEqual([saved.city, saved.beds, saved.version], ['Dallas', 5, 4]);
});

test('without a connection, a page that was not loaded yet says so, keeps the navigation, and can be loaded again', async () => {
  await using list = await openListings(1);
  const { page, problems } = list;
  await page.getByRole('row', { name: /Elm Street/ }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByText('The service can’t be reached.', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'Listings' }).waitFor();
  await page.context().setOffline(false);
  assert.match(problems.splice(0).join(), /ERR_INTERNET_DISCONNECTED.*can’t be reached/s);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('row', { name: /Signed in/ }).waitFor();
});

test('a listing whose response is lost is created once, however often it is saved', async () => {
  await using list = await openListings(0);
  const { page, problems, tenant } = list;
  const save = page.getByRole('button', { name: 'Create listing' });
  await page.goto('/listings/new');
  await page.getByLabel('Address', { exact: true }).fill('7 Oak Avenue');
  await page.getByLabel('Beds').fill('2');
  await page.getByLabel('Baths').fill('1');
  await page.route('**/admin/listings', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await save.click();
  await page
    .getByRole('alert')
    .getByText(/can’t be reached/)
    .waitFor();
  await page.goto('/listings/new');
  await save.click();
  await page
    .getByRole('alert')
    .getByText(/can’t be reached/)
    .waitFor();
  assert.equal(await countListings(tenant), 1);
  await page.unroute('**/admin/listings');
  await save.click();
  await page.getByRole('row', { name: /7 Oak Avenue/ }).waitFor();
  assert.equal(await countListings(tenant), 1);
  assert.ok(problems.splice(0).every((problem) => problem.includes('net::ERR_FAILED')));

  await page.getByRole('link', { name: 'New listing' }).click();
  await page.getByLabel('Address', { exact: true }).fill('7 Oak Avenue');
  await page.getByLabel('Beds').fill('2');
  await page.getByLabel('Baths').fill('1');
  await save.click();
  await page
    .getByRole('row', { name: /7 Oak Avenue/ })
    .nth(1)
    .waitFor();
  assert.equal(await countListings(tenant), 2, 'another listing can have the same fields');
});

test('a draft survives the back button, a reload, and the end of the session', async () => {
  await using list = await openListings(1);
  const { page, tenant, person } = list;
  const address = page.getByLabel('Address', { exact: true });

  await page.getByRole('link', { name: '1 Elm Street' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('City').fill('Dallas');
  await page.goBack();
  await page.getByRole('link', { name: 'New listing' }).click();
  await address.fill('7 Oak Avenue');
  await page.getByLabel('Beds').fill('2');
  await page.getByLabel('Baths').fill('1');
  await page.getByRole('button', { name: 'Add photo' }).click();
  await page.getByLabel('URL of photo 1').fill('https://example.com/1.jpg');
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await page.goto('/listings/new');
  await page.getByText('Unsaved draft restored.').waitFor();

  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByLabel('E-mail').waitFor();
  await fillSignIn(page, person);
  await page.getByText('Unsaved draft restored.').waitFor();
  assert.equal(await address.inputValue(), '7 Oak Avenue');
  assert.equal(await countListings(tenant), 1);
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByRole('row', { name: /7 Oak Avenue/ }).waitFor();
  const { data } = await (await service.fetch(tenant, '/v1/listings')).json();
  assert.deepEqual(data[0].photos, [{ url: 'https://example.com/1.jpg' }]);

  await page.getByRole('link', { name: '1 Elm Street' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByText('Unsaved draft restored.').waitFor();
  assert.equal(await page.getByLabel('City').inputValue(), 'Dallas');
  await page.getByRole('button', { name: 'Discard draft' }).click();
  assert.equal(await page.getByLabel('City').inputValue(), 'Waco');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('link', { name: 'New listing' }).click();
  assert.equal(await address.inputValue(), '');
  await address.fill('8 Oak Avenue');
  await signOut(page);
  await page.getByLabel('E-mail').waitFor();
  assert.equal(new URL(page.url()).search, '', 'signing out does not show the note about an expired session');
  assert.equal(await page.evaluate(() => JSON.stringify(sessionStorage).includes('Oak')), false);
});

test('search, filters, order, and page are in the URL, so a reload and the back button keep them', async () => {
  await using list = await openListings(130);
  const { page } = list;
  await page.getByText('1–50 of 130').waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('City').fill('Austin');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('1–50 of 65').waitFor();
  await page.getByRole('button', { name: 'Beds' }).click();
  await page.waitForURL(/sort=-beds/);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('51–65 of 65').waitFor();
  // Rows of another page are rendered a moment after its numbers.
  await until('the page has 15 rows', async () => (await addresses(page)).length === 15);
  const shown = await addresses(page);

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
});

test('an invalid filter is explained beside its field, and the focus stays where the user works', async () => {
  await using list = await openListings(3);
  const { page } = list;
  const filters = page.getByRole('button', { name: /^Filters/ });
  const price = page.getByLabel('Max. price');
  const apply = page.getByRole('button', { name: 'Apply' });

  await filters.click();
  for (const [text, words] of [
    ['abc', 'Enter a number, such as 450,000 or 1250.5.'],
    ['200.000', 'Did you mean 200,000 or 200?'],
  ] as const) {
    await price.fill(text);
    await apply.click();
    await page.getByText(words).waitFor();
    await untilFocused(price);
  }
  await price.fill('200,000');
  await page.getByLabel('Min. beds').fill('1.5');
  await apply.click();
  await page.getByText('Must be a whole number.').waitFor();
  assert.equal((await addresses(page)).length, 3);
  await page.getByLabel('Min. beds').fill('');
  await page.keyboard.press('Enter');
  await page.getByText('Max. price: 200,000').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('listPrice[lte]'), '200000');
  await untilFocused(filters);
  await page.getByRole('button', { name: 'Remove Max. price' }).click();
  await page.getByRole('row', { name: /1 Elm Street/ }).waitFor();
  await untilFocused(filters);

  await page.getByRole('button', { name: 'Actions for 2 Elm Street' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await untilFocused(page.getByRole('button', { name: 'Actions for 1 Elm Street' }));
  await page.getByRole('button', { name: 'Undo' }).click();
  await untilFocused(page.locator('#main'));

  await page.goto('/listings?sort=foo&status=bogus');
  await page.getByText('This list can’t be shown').waitFor();
  assert.equal(await page.getByText('createdAt').count(), 0);
  await page.getByRole('link', { name: 'Show all listings' }).click();
  await page.getByRole('row', { name: /1 Elm Street/ }).waitFor();
});

test('a page opened by its URL does not claim a position in the list, and neither do the pages after it', async () => {
  await using list = await openListings(60);
  const { page } = list;
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
});

test('a list stays visible when its reload fails, with a warning that it may be out of date', async () => {
  await using list = await openListings(1);
  const { page } = list;
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
});

test('a deletion can be undone for eight seconds and is sent only after that', async () => {
  await using list = await openListings(2);
  const { page, tenant } = list;
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
});

test('several deletions share one notification, are sent once each, and cannot be undone afterward', async () => {
  await using list = await openListings(6);
  const { page, tenant } = list;
  await page.getByRole('row', { name: /1 Elm Street/ }).waitFor();
  await page.clock.install();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let sent = 0;
  await page.route('**/admin/listings/deletions', async (route) => {
    sent += 1;
    await released;
    return route.continue();
  });

  for (const number of [1, 2, 3, 4, 5]) {
    await page.getByRole('button', { name: `Actions for ${number} Elm Street` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
  }
  await page.getByText('Deleted 5 listings.').waitFor();
  await page.getByText('1–1 of 1').waitFor();
  await page.getByRole('button', { name: 'Undo' }).hover();
  // Another client deletes one of the listings.
  const { data } = await (await service.fetch(tenant, '/v1/listings')).json();
  const { id } = data.find(({ address }: { address: string }) => address === '1 Elm Street');
  await service.fetch(tenant, `/v1/listings/${id}`, { method: 'DELETE' });

  await page.clock.runFor(UNDO_MS);
  await until('all deletions are sent', async () => sent === 5);
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  await signOut(page);
  release();
  await page.getByLabel('E-mail').waitFor();
  assert.deepEqual([sent, await page.getByRole('alert').count(), await countListings(tenant)], [5, 0, 1]);
});

test('leaving the page sends pending deletions', async () => {
  await using list = await openListings(2);
  const { page, tenant } = list;
  await page.getByRole('button', { name: 'Actions for 2 Elm Street' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.goto('/docs');
  await until('the listing is deleted', async () => (await countListings(tenant)) === 1);
});

test('an export contains all pages of the filtered list', async () => {
  await using list = await openListings(130);
  const { page } = list;
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
});

test('a view is saved by name, opened again, shared as a link, and deleted', async () => {
  await using list = await openListings(6);
  const { page } = list;
  const views = page.getByRole('button', { name: 'Views' });
  const dialog = page.getByRole('dialog');
  await page.goto('/listings?city=Austin&sort=beds&limit=25');
  await views.click();
  await page.getByRole('menuitem', { name: 'Save this view' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter a name.').waitFor();
  await dialog.getByLabel('Name').fill('Austin');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.goto('/listings');
  await page.getByText('6 listings').waitFor();
  await views.click();
  await page.getByRole('menuitem', { name: 'Austin' }).click();
  await page.getByText('3 listings match').waitFor();
  assert.match(page.url(), /\/listings\?city=Austin&sort=beds$/);
  await views.click();
  await page.getByRole('menuitem', { name: 'Austin Current' }).waitFor();
  await page.getByRole('menuitem', { name: 'Manage views' }).click();
  await dialog.getByRole('button', { name: 'Copy the link to Austin' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
  await dialog.getByRole('button', { name: 'Delete Austin' }).click();
  await dialog.getByRole('link', { name: 'Austin', exact: true }).waitFor({ state: 'detached' });
});
