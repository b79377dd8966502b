import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINIMAL, send } from '../../testkit/src/listings.ts';
import { openListings, startDashboard, untilFocused } from './support/window.ts';

const dashboard = await startDashboard();
const { service } = dashboard;

const LISTING = {
  ...MINIMAL,
  listPrice: 450_000,
  latitude: 30.2672,
  longitude: -97.7431,
  description: 'Bright corner house',
  photos: [1, 2, 3, 4, 5, 6, 7].map((number) => ({
    url: `https://example.com/${number}.jpg`,
    caption: `Room ${number}`,
  })),
  metadata: { agent: 'Grace' },
};

async function openListing() {
  const window = await openListings(dashboard, 0);
  const { id } = await (await send(service, window.tenant, 'POST', '/listings', LISTING)).json();
  await window.page.goto(`/listings/${id}`);
  return { ...window, id: String(id) };
}

test('a listing’s page shows its facts, photos, and coordinates, and copies its id and JSON', async () => {
  await using window = await openListing();
  const { page, id } = window;
  for (const text of ['$450,000', 'Grace']) await page.getByRole('definition').getByText(text).waitFor();
  await page.getByText('Bright corner house').waitFor();
  await page.getByText('30.2672° N, 97.7431° W').waitFor();

  const photos = page.getByRole('region', { name: 'Photos' });
  assert.equal(await photos.getByRole('img').count(), 5);
  await photos.getByText('+2').waitFor();
  await photos.getByRole('button', { name: 'Open photo 5 of 7' }).click();
  const viewer = page.getByRole('dialog', { name: 'Photo 5 of 7' });
  await viewer.getByRole('img', { name: 'Room 5' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('dialog', { name: 'Photo 6 of 7' }).getByText('Room 6').waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Copy the ID' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), id);
  await page.getByRole('tab', { name: 'JSON' }).click();
  await page.getByRole('button', { name: 'Copy the JSON' }).click();
  const json = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  assert.deepEqual([json.id, json.photos.length], [id, 7]);
  await page.getByRole('button', { name: 'Copy the curl command' }).click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), new RegExp(`^curl .*/v1/listings/${id} `));
});

test('a photo that cannot be loaded says so', async () => {
  await using window = await openListing();
  const { page, problems } = window;
  await page.route('https://example.com/2.jpg', (route) => route.abort());
  await page.reload();
  await page.getByText('This photo can’t be loaded.').waitFor();
  assert.match(problems.splice(0).join(), /^Failed to load resource: net::ERR_FAILED$/);
});

test('the history says who changed what, from and to, with the price over time; events open as JSON', async () => {
  await using window = await openListing();
  const { page, tenant, id } = window;
  await send(service, tenant, 'PATCH', `/listings/${id}`, { listPrice: 439_000, status: 'pending', description: null });
  await page.reload();
  const history = page.getByRole('tabpanel', { name: 'History' });
  await history.getByText(/API key .+ changed the listing/).waitFor();
  await history.getByText(/^Price \$450,000/).waitFor();
  await history.getByText(/^Status Active/).waitFor();
  await history.getByText('Description changed').waitFor();
  await history.getByRole('img', { name: /^Price: .*\$450,000, .*\$439,000$/ }).waitFor();

  await page.getByRole('tab', { name: 'Events' }).click();
  await page.waitForURL(/tab=events/);
  await page.getByRole('button', { name: /listing.updated/ }).click();
  const event = JSON.parse(await page.getByText('"listPrice": 439000').innerText());
  assert.deepEqual([event.type, event.listingId], ['listing.updated', id]);
});

test('saving in the drawer keeps the page, and errors disappear when they are fixed', async () => {
  await using window = await openListing();
  const { page, tenant, id } = window;
  const edit = page.getByRole('button', { name: 'Edit' });
  await edit.click();
  const drawer = page.getByRole('dialog', { name: 'Edit listing' });
  const price = drawer.getByLabel('Price', { exact: true });
  await price.fill('cheap');
  await drawer.getByLabel('Beds').fill('2.5');
  await drawer.getByRole('button', { name: 'Save changes' }).click();
  await drawer.getByText('Must be a whole number.').waitFor();
  await drawer.getByText('Enter a number, such as 450,000 or 1250.5.').waitFor();
  await price.fill('$475,000');
  await drawer.getByText('Enter a number, such as').waitFor({ state: 'detached' });
  await untilFocused(price);
  await drawer.getByLabel('Beds').fill('4');
  await drawer.getByRole('combobox', { name: 'Country' }).fill('canada');
  await page.keyboard.press('Tab');
  await drawer.getByRole('button', { name: 'Save changes' }).click();
  await drawer.waitFor({ state: 'detached' });
  await untilFocused(edit);
  await page.getByRole('definition').getByText('$475,000').waitFor();
  const saved = await (await service.fetch(tenant, `/v1/listings/${id}`)).json();
  assert.deepEqual([saved.listPrice, saved.beds, saved.country], [475_000, 4, 'CA']);
});

test('the page of a listing that does not exist, or was just deleted, does not offer to load it again', async () => {
  await using window = await openListing();
  const { page } = window;
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 12 Elm Street').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.goto('/listings/lst_none');
  await page.getByRole('heading', { level: 1, name: 'Listing not found' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  await page.getByRole('link', { name: 'Listings', exact: true }).waitFor();
  await page.goto('/nothing');
  await page.getByText('Page not found').waitFor();
  await page.getByRole('link', { name: 'Listings', exact: true }).waitFor();
});
