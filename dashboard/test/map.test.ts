import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { MINIMAL, send } from '../../testkit/src/listings.ts';
import { assertFits, findBarriers, openListings, startDashboard, untilFocused } from './support/window.ts';

const plain = await startDashboard();
const withTiles = await startDashboard({
  mapTiles: { url: 'https://example.com/{z}/{x}/{y}.png', attribution: '© <b>Tiles</b> https://example.com/terms' },
});

/** Five listings at one place, one listing in another city, and one without coordinates. */
async function openMap(dashboard: typeof plain) {
  const window = await openListings(dashboard, 1);
  const create = (address: string, latitude: number, longitude: number) =>
    send(dashboard.service, window.tenant, 'POST', '/listings', { ...MINIMAL, address, latitude, longitude });
  for (const unit of [1, 2, 3, 4, 5]) await create(`${unit} Tower Road`, 30.2672, -97.7431);
  const { id } = await (await create('7 Lake Street', 41.8781, -87.6298)).json();
  await window.page.reload();
  return { ...window, id: String(id) };
}

const mark = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('the map shows the listings as clusters, lists those of a place, and is restored by the back button', async () => {
  await using window = await openMap(plain);
  const { page } = window;
  await page.locator('label').filter({ hasText: 'Map' }).click();
  await page.getByText('6 listings in this area.').waitFor();
  await mark(page, '5 listings').click();
  await page.getByRole('link', { name: '3 Tower Road' }).click();
  await page.getByRole('heading', { name: '3 Tower Road' }).waitFor();
  await page.goBack();
  await mark(page, '5 listings').waitFor();
  assert.match(page.url(), /view=map&area=/);

  await page.getByLabel('Search listings').fill('lake');
  await page.getByText('1 listing in this area.').waitFor();
  assert.equal(await mark(page, '5 listings').count(), 0);
});

test('an unreadable place in the URL is ignored, and an id is found', async () => {
  await using window = await openMap(plain);
  const { page, id } = window;
  await page.goto('/listings?view=map&area=30.2672,x,10');
  await page.getByText('6 listings in this area.').waitFor();
  await page.getByLabel('Search listings').fill(id);
  await page.getByText('1 listing in this area.').waitFor();
  await mark(page, '1 listing').click();
  await page.getByRole('link', { name: '7 Lake Street' }).waitFor();
});

test('the map can be used with the keyboard alone', async () => {
  await using window = await openMap(plain);
  const { page } = window;
  await page.goto('/listings?view=map&area=30.2672,-97.7431,10');
  await mark(page, '5 listings').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: '5 Tower Road' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: '5 Tower Road' }).waitFor({ state: 'detached' });
  await untilFocused(mark(page, '5 listings'));
  await page.getByRole('region', { name: 'Map of the listings' }).focus();
  await page.keyboard.press('-');
  await page.waitForURL(/,9$/);
});

test('a mark that is still there after new data keeps the focus', async () => {
  await using window = await openMap(plain);
  const { page, tenant } = window;
  await page.goto('/listings?view=map&area=30.2672,-97.7431,10');
  await mark(page, '5 listings').focus();
  const later = Promise.withResolvers<void>();
  await page.route('**/admin/map?*', async (route) => {
    await later.promise;
    await route.continue();
  });
  // The map moves to make room for the bubble, and requests the listings of the new area.
  const asked = page.waitForRequest('**/admin/map?*');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: '5 Tower Road' }).waitFor();
  await asked;
  await page.keyboard.press('Escape');
  await untilFocused(mark(page, '5 listings'));
  const added = { ...MINIMAL, address: '1 North Lane', latitude: 30.4, longitude: -97.6 };
  await send(plain.service, tenant, 'POST', '/listings', added);
  later.resolve();
  await mark(page, '1 listing').waitFor();
  await untilFocused(mark(page, '5 listings'));
});

test('axe-core finds no violation on the map, which fits the window', async () => {
  await using window = await openMap(withTiles);
  const { page, problems } = window;
  for (const [width, colorScheme] of [
    [320, 'light'],
    [1280, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.goto('/listings?view=map&area=30.2672,-97.7431,10');
    await mark(page, '5 listings').click();
    await page.getByRole('link', { name: '5 Tower Road' }).waitFor();
    problems.push(...(await findBarriers(page)));
    await assertFits(page);
  }
});

test('map images are loaded only from the host that the operator configures, with their attribution', async () => {
  await using window = await openMap(withTiles);
  const { page, id } = window;
  await page.goto(`/listings/${id}`);
  const map = page.getByRole('region', { name: 'Map of the neighborhood' });
  await map.locator('img[src^="https://example.com/15/"]').first().waitFor();
  const link = map.getByRole('link', { name: '© <b>Tiles</b>' });
  assert.equal(await link.getAttribute('href'), 'https://example.com/terms');
  await map.getByRole('img', { name: '7 Lake Street' }).waitFor();
});

test('without map images, a listing has no map, and nothing is loaded from another host', async () => {
  await using window = await openMap(plain);
  const { page, id } = window;
  await page.goto(`/listings/${id}`);
  await page.getByText('41.8781° N, 87.6298° W').waitFor();
  assert.equal(await page.getByRole('region', { name: 'Map of the neighborhood' }).count(), 0);
});
