import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { MINIMAL, send } from '../../testkit/src/listings.ts';
import type { Tenant } from '../../testkit/src/service.ts';
import { until } from '../../testkit/src/until.ts';
import { assertFits, openListings, startDashboard, untilFocused } from './support/window.ts';

const dashboard = await startDashboard();
const { service } = dashboard;

const rowOf = (page: Page, address: string) => page.getByRole('row', { name: new RegExp(`^Select ${address} `) });
const bar = (page: Page) => page.getByRole('group', { name: 'Selected listings' });

async function listings(tenant: Tenant): Promise<{ address: string; status: string }[]> {
  return (await (await service.fetch(tenant, '/v1/listings')).json()).data;
}

test('selected listings can be given a status, exported, and deleted with undo', async () => {
  await using list = await openListings(dashboard, 4);
  const { page, tenant } = list;
  await page.getByRole('checkbox', { name: 'Select 3 Elm Street' }).check();
  await page.getByRole('checkbox', { name: 'Select 1 Elm Street' }).click({ modifiers: ['Shift'] });
  await bar(page).getByText('3 selected').waitFor();

  await bar(page).getByRole('button', { name: 'Set status' }).click();
  await page.getByRole('menuitem', { name: 'Hold' }).click();
  await page.getByText('3 listings set to Hold.').waitFor();
  await rowOf(page, '1 Elm Street').getByRole('cell', { name: 'Hold', exact: true }).waitFor();
  assert.deepEqual(
    (await listings(tenant)).map(({ status }) => status),
    ['active', 'hold', 'hold', 'hold'],
  );
  await bar(page).waitFor({ state: 'detached' });

  await page.getByRole('checkbox', { name: 'Select 2 Elm Street' }).check();
  await page.getByRole('checkbox', { name: 'Select 4 Elm Street' }).check();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    bar(page).getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  assert.match(lines[0] ?? '', /^id,externalId,address,/);
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(',')[2]),
    ['4 Elm Street', '2 Elm Street'],
  );

  await page.clock.install();
  for (const isUndone of [true, false]) {
    await page.getByRole('checkbox', { name: 'Select 2 Elm Street' }).check();
    await page.getByRole('checkbox', { name: 'Select 4 Elm Street' }).check();
    await bar(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted 2 listings.').waitFor();
    assert.equal((await listings(tenant)).length, 4);
    if (isUndone) await page.getByRole('button', { name: 'Undo' }).click();
  }
  await page.clock.runFor(8_000);
  await until('the listings are deleted', async () => (await listings(tenant)).length === 2);
});

test('all listings that a search finds, and no others, can be given a status, exported, and deleted with undo', async () => {
  await using list = await openListings(dashboard, 130);
  const { page, tenant } = list;
  await page.goto('/listings?city=Austin&limit=25');
  const selectPage = page.getByRole('checkbox', { name: 'Select all rows of this page' });
  await selectPage.check();
  await bar(page).getByRole('button', { name: 'Select all 65 matching' }).click();
  await bar(page).getByText('65 selected').waitFor();
  await bar(page).getByRole('button', { name: 'Set status' }).click();
  await page.getByRole('menuitem', { name: 'Closed' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Set 65 listings' }).click();
  await page.getByText('65 listings set to Closed.').waitFor();
  const closed = (await listings(tenant)).filter(({ status }) => status === 'closed');
  assert.equal(closed.length, 65);

  await selectPage.check();
  await bar(page).getByRole('button', { name: 'Select all 65 matching' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    bar(page).getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  assert.equal((await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n').length, 66);

  await page.clock.install();
  for (const isUndone of [true, false]) {
    await selectPage.check();
    await bar(page).getByRole('button', { name: 'Select all 65 matching' }).click();
    await bar(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 65 listings' }).click();
    await page.getByText('Deleted 65 listings.').waitFor();
    await page.getByText('No matching listings').waitFor();
    assert.equal((await listings(tenant)).length, 130);
    if (isUndone) await page.getByRole('button', { name: 'Undo' }).click();
  }
  await page.clock.runFor(8_000);
  await until('the listings are deleted', async () => (await listings(tenant)).length === 65);
  assert.ok((await listings(tenant)).every(({ status }) => status !== 'closed'));
});

test('while the listings of a page are deleted, the list says so', async () => {
  await using list = await openListings(dashboard, 40);
  const { page, tenant } = list;
  await page.clock.install();
  await page.goto('/listings?limit=25');
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  await bar(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleting the listings on this page').waitFor();
  await page.clock.runFor(8_000);
  await page.getByText('1–15 of 15').waitFor();
  assert.equal((await listings(tenant)).length, 15);
});

test('a deletion of many listings is sent in batches, and closing the page before it begins needs a confirmation', async () => {
  await using list = await openListings(dashboard, 1_700);
  const { page, tenant } = list;
  const sizes: number[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/admin/listings/deletions')) sizes.push(request.postDataJSON().ids.length);
  });
  await page.clock.install();
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  await bar(page).getByRole('button', { name: 'Select all 1,700' }).click();
  await bar(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 1,700 listings' }).click();
  await page.getByText('No listings yet').waitFor();
  const [dialog] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })]);
  assert.equal(dialog.type(), 'beforeunload');
  await dialog.dismiss();
  await page.clock.runFor(8_000);
  await until('the listings are deleted', async () => (await listings(tenant)).length === 0);
  assert.deepEqual(sizes, [400, 400, 400, 400, 100]);
});

test('rows are reached with the arrow keys, selected with Space, and opened with Enter', async () => {
  await using list = await openListings(dashboard, 3);
  const { page } = list;
  await rowOf(page, '3 Elm Street').focus();
  await page.keyboard.press('ArrowDown');
  await untilFocused(rowOf(page, '2 Elm Street'));
  await page.keyboard.press('Space');
  assert.equal(await page.getByRole('checkbox', { name: 'Select 2 Elm Street' }).isChecked(), true);
  await page.keyboard.press('End');
  await untilFocused(rowOf(page, '1 Elm Street'));
  await page.keyboard.press('Home');
  await untilFocused(rowOf(page, '3 Elm Street'));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: '3 Elm Street' }).waitFor();
});

test('a listing opens from its row, and Back returns to the same place in the list', async () => {
  await using list = await openListings(dashboard, 130);
  const { page } = list;
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('51–100 of 130').waitFor();
  await rowOf(page, '40 Elm Street').scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => scrollY);
  assert.ok(before > 0);
  await rowOf(page, '40 Elm Street').getByRole('cell').nth(3).click();
  await page.getByRole('heading', { level: 1, name: '40 Elm Street' }).waitFor();
  await page.getByRole('tab', { name: 'JSON' }).click();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByText('51–100 of 130').waitFor();
  await until('the list is scrolled', async () => (await page.evaluate(() => scrollY)) === before);
});

test('chosen columns and density are remembered, and every row keeps its menu in view', async () => {
  await using list = await openListings(dashboard, 2);
  const { page } = list;
  const menu = page.getByRole('button', { name: 'Actions for 1 Elm Street' });
  for (const width of [320, 480, 640, 780, 820, 1000, 1100, 1101, 1220, 1280, 1920, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    await menu.waitFor();
    await assertFits(page);
    const box = await menu.boundingBox();
    assert.ok(box !== null && box.x + box.width <= width, `the menu is in view at ${width} pixels`);
    const address = await page.getByRole('link', { name: '1 Elm Street' }).boundingBox();
    assert.ok(address !== null && address.width >= 60, `the address can be read at ${width} pixels`);
  }
  await page.setViewportSize({ width: 480, height: 800 });
  await page.getByRole('button', { name: 'Columns and density' }).click();
  const checkedOf = (name: string) => page.getByRole('menuitemcheckbox', { name }).getAttribute('aria-checked');
  assert.equal(await checkedOf('Updated'), 'false', 'the column does not fit');
  await page.getByRole('menuitemcheckbox', { name: 'External ID' }).click();
  assert.deepEqual([await checkedOf('External ID'), await checkedOf('Updated')], ['true', 'false']);
  await page.getByRole('columnheader', { name: 'External ID' }).waitFor();
  await page.getByRole('columnheader', { name: 'Updated' }).waitFor({ state: 'hidden' });
  await page.getByRole('menuitem', { name: 'Reset' }).click();
  assert.deepEqual([await checkedOf('External ID'), await checkedOf('Updated')], ['false', 'false']);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 820, height: 800 });
  await page.getByRole('button', { name: 'Columns and density' }).click();
  for (const name of ['External ID', 'Location', 'Area', 'Feed', 'Added', 'Updated', 'Type']) {
    const item = page.getByRole('menuitemcheckbox', { name });
    await item.click();
    if ((await item.getAttribute('aria-checked')) === 'false') await item.click();
  }
  await page.getByRole('menuitemradio', { name: 'Compact' }).click();
  await page.reload();
  for (const name of ['External ID', 'Location', 'Area']) await page.getByRole('columnheader', { name }).waitFor();
  await assertFits(page);
  const box = await menu.boundingBox();
  assert.ok(box !== null && box.x + box.width <= 820);
  const heightPx = (await rowOf(page, '1 Elm Street').boundingBox())?.height ?? 0;
  assert.ok(heightPx < 40, `a compact row is ${heightPx} pixels high`);
});

async function exportCsv(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem').getByText('CSV, for spreadsheets').click();
}

test('search finds an external id, a postal code, a unit, and the listing’s own id', async () => {
  await using list = await openListings(dashboard, 2);
  const { page, tenant } = list;
  const body = { ...MINIMAL, address: '7 Oak Avenue', externalId: 'MLS-50999', postalCode: '78654', unitNumber: '12B' };
  const { id } = await (await send(service, tenant, 'POST', '/listings', body)).json();
  for (const words of ['MLS-50999', '78654', '12b', id, id.toUpperCase()]) {
    await page.goto('/listings');
    await page.getByRole('searchbox').fill(words);
    await page.getByText('1 listing matches').waitFor();
    await rowOf(page, '7 Oak Avenue').waitFor();
  }
  const [download] = await Promise.all([page.waitForEvent('download'), exportCsv(page)]);
  assert.match(await readFile(await download.path(), 'utf8'), new RegExp(`\\r\\n${id},`));
  await page.goto(`/listings?q=${id.slice(0, -1)}`);
  await page.getByText('No matching listings').waitFor();
});

test('an open list shows changes by others, and keeps its rows while the service cannot be reached', async () => {
  await using list = await openListings(dashboard, 2);
  const { page, tenant, problems } = list;
  await rowOf(page, '1 Elm Street').waitFor();
  await send(service, tenant, 'POST', '/listings', { ...MINIMAL, address: '7 Oak Avenue' });
  await rowOf(page, '7 Oak Avenue').waitFor();

  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Price' }).click();
  await page.getByText('These are the previous results. The service can’t be reached.', { exact: false }).waitFor();
  assert.equal(await page.getByRole('row').count(), 4);
  await page.context().setOffline(false);
  await page.getByText('These are the previous results.').waitFor({ state: 'detached' });
  assert.ok(problems.splice(0).every((problem) => problem.includes('ERR_INTERNET_DISCONNECTED')));
});

test('an open list is reloaded if its sequence is unknown, as after a restore', async () => {
  await using list = await openListings(dashboard, 2);
  const { page, tenant } = list;
  await rowOf(page, '1 Elm Street').waitFor();
  const json = { error: { code: 'events_expired', message: 'List all listings again.' } };
  await page.route('**/admin/events?after=2&*', (route) => route.fulfill({ status: 410, json }));
  await page.reload();
  await rowOf(page, '1 Elm Street').waitFor();
  await send(service, tenant, 'POST', '/listings', { ...MINIMAL, address: '7 Oak Avenue' });
  await rowOf(page, '7 Oak Avenue').waitFor();
});

test('the filters under “More filters” find a listing, and are named above the list', async () => {
  await using list = await openListings(dashboard, 1);
  const { page, tenant } = list;
  const body = { ...MINIMAL, address: '7 Oak Avenue', lotSizeArea: 0.5, yearBuilt: 1994, onMarketDate: '2026-11-01' };
  await send(service, tenant, 'POST', '/listings', { ...body, country: 'US', stateOrProvince: 'TX' });
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByText('More filters').click();
  for (const [label, value] of [
    ['State or province', 'tx'],
    ['Country', 'us'],
    ['Min. lot size', '0.5'],
    ['Max. year built', '1994'],
    ['On market from', '2026-11-01'],
    ['On market before', '2026-11-02'],
    ['Added from', '2026-01-01'],
  ] as const) {
    await page.getByLabel(label).fill(value);
  }
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('1 listing matches').waitFor();
  await page.getByText('Max. year built: 1994').waitFor();
  await page.getByText('On market from: Nov 1, 2026').waitFor();
});
