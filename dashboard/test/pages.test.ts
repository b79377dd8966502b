import { test } from 'node:test';
import { createPerson, signIn } from '../../testkit/src/browser.ts';
import { fill } from '../../testkit/src/listings.ts';
import { assertFits, findBarriers, openPage, settle, startDashboard, type Window } from './support/window.ts';

const { service, open, openSignedIn } = await startDashboard({ requestLog: { days: 7, bytes: 1e9 } });

const tenant = await service.createTenant();
const [listingId = ''] = await fill(service, tenant, 60);
const person = await createPerson(service, { accountId: tenant.accountId });
const newcomer = await createPerson(service);
const given = { email: 'grace.brewster.murray.hopper@example.com', role: 'member' };
const api = await signIn(service, person);
await api.ask('POST', '/admin/invitations', given, 201);
const endpoint = { url: 'https://example.com/webhooks', enabled: false };
const webhook = await api.ask('POST', '/admin/webhooks', endpoint, 201);
const rows = [
  { externalId: 'A-1', address: '1 Elm Street', beds: 3, baths: 2 },
  { externalId: 'A-2', beds: 3, baths: 2 },
];
const run = await api.ask('PUT', '/admin/feeds/mls?failedMax=50%25', rows);
await service.fetch(tenant, '/v1/nothing');
const [{ id: requestId }] = (await api.ask('GET', '/admin/requests?status=404')).data;

/** Each page with its heading. */
const PAGES: [path: string, heading?: string][] = [
  ['/', 'Overview'],
  ['/listings', 'Listings'],
  ['/listings?q=nothing+like+this', 'Listings'],
  ['/listings?limit=abc', 'Listings'],
  ['/listings/new', 'New listing'],
  [`/listings/${listingId}`],
  [`/listings/${listingId}?tab=events`],
  [`/listings/${listingId}?tab=json`],
  ['/nothing', 'Not found'],
  ['/listings/lst_none', 'Listing not found'],
  ['/listings/import', 'Import'],
  ['/settings/api', 'API keys'],
  ['/settings/team', 'Team'],
  ['/settings/account', 'Account'],
  ['/profile', 'Profile and security'],
  ['/activity', 'Activity'],
  ['/feeds', 'Feeds'],
  ['/feeds/mls', 'mls'],
  [`/feeds/mls/runs/${run.id}`, 'Run of mls'],
  ['/feeds/mls/send', 'Send a file to mls'],
  ['/feeds/new', 'New feed'],
  ['/developers/requests', 'Requests'],
  [`/developers/requests/${requestId}`, 'GET /v1/nothing'],
  ['/developers/events', 'Events'],
  ['/developers/webhooks', 'Webhooks'],
  [`/developers/webhooks/${webhook.id}`, 'https://example.com/webhooks'],
  ['/developers/webhooks/whk_none', 'Endpoint not found'],
];

const WIDTH = 1280;

test('axe-core finds no violation on pages without a session', async () => {
  await using window = await open();
  const { page } = window;
  for (const [path, heading] of [
    ['/sign-in', 'Sign in'],
    ['/sign-in?ended=yes', 'Sign in'],
    ['/setup', 'Already set up'],
    ['/invitation#token=none', 'This invitation can’t be used'],
    ['/nothing', 'Not found'],
  ] as const) {
    await openPage(page, path, heading);
    await checkPage(window, path);
    await checkWidths(window);
  }
});

test('axe-core finds no violation on any page, and no page is wider than the window', async () => {
  await using window = await openSignedIn({ person });
  for (const [path, heading] of PAGES) {
    await openPage(window.page, path, heading);
    await checkPage(window, path);
    await checkWidths(window);
  }
});

test('axe-core finds no violation in dialogs, a menu, and the first steps', async () => {
  await using window = await openSignedIn({ person: newcomer });
  const { page } = window;
  await page.getByText('Waiting for your first listing').waitFor();
  await checkPage(window, 'first steps');
  await page.getByRole('button', { name: 'Generate API Key' }).click();
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  await checkPage(window, 'generate');
  await page.getByRole('dialog').getByLabel('Name').fill('Website');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).waitFor();
  await checkPage(window, 'key');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.goto('/settings/team');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('dialog').getByLabel('E-mail').fill('edith@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('This link works on this machine only').waitFor();
  await checkPage(window, 'invitation');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: /Your menu/ }).click();
  await page.getByRole('menuitemradio', { name: 'System', checked: true }).waitFor();
  await checkPage(window, 'menu');
  await page.keyboard.press('Escape');
});

test('axe-core finds no violation in the menus of the list', async () => {
  await using window = await openSignedIn({ person });
  const { page } = window;
  await openPage(page, '/listings', 'Listings');
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
  await checkPage(window, 'actions');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Postal code').waitFor();
  await page.getByText('More filters').click();
  await checkPage(window, 'filters');
  await page.keyboard.press('Escape');
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  await page.getByRole('group', { name: 'Selected listings' }).waitFor();
  await checkPage(window, 'selected');
  await page.getByRole('button', { name: 'Columns and density' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'External ID' }).click();
  await checkPage(window, 'columns');
});

test('axe-core finds no violation in the list, a listing, and its form at any width', async () => {
  await using window = await openSignedIn({ person });
  for (const path of ['/listings', `/listings/${listingId}`, `/listings/${listingId}?edit=yes`, '/settings/api']) {
    await openPage(window.page, path);
    for (const width of [320, 820, WIDTH]) {
      await window.page.setViewportSize({ width, height: 800 });
      await checkPage(window, `${path} at ${width} pixels`);
    }
  }
});

/** Adds axe-core's violations in both themes to the window's problems, so that a failing run lists all of them. */
async function checkPage({ page, problems }: Window, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
    await settle(page);
    problems.push(...(await findBarriers(page)).map((barrier) => `${name}, ${colorScheme}: ${barrier}`));
  }
}

/** Checks the page at each width without loading it again, because its layout adapts to the window. */
async function checkWidths({ page }: Window): Promise<void> {
  for (const width of [320, 820, 2560, WIDTH]) {
    await page.setViewportSize({ width, height: 800 });
    await assertFits(page);
  }
}

test('the API reference follows the color scheme that the user has chosen, or else that of the system', async () => {
  await using window = await openSignedIn({ colorScheme: 'dark', person });
  const { page } = window;
  await page.goto('/docs');
  await page.locator('.opblock').first().waitFor();
  await page.locator('html.dark-mode').waitFor();
  await page.goto('/');
  await page.getByRole('button', { name: /Your menu/ }).click();
  await page.getByRole('menuitemradio', { name: 'Light' }).click();
  await page.goto('/docs');
  await page.locator('.opblock').first().waitFor();
  await page.locator('html:not(.dark-mode)').waitFor();
});
