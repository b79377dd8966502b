// Saves screenshots of the pages to dashboard/screenshots/, at four widths and in both themes, for
// accounts with no, a few, and many listings: `npm run screenshots [none|few|many]`.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Browser, createPerson, signIn } from '../../testkit/src/browser.ts';
import { startTestService, type TestService } from '../../testkit/src/service.ts';
import { launchBrowser } from '../test/support/chromium.ts';
import { openPage, openWindow, settle, signInByForm } from '../test/support/window.ts';

const DIRECTORY = join(import.meta.dirname, '../screenshots');
const SIZES = { none: { listings: 0, keys: 0 }, few: { listings: 8, keys: 3 }, many: { listings: 100_000, keys: 40 } };
const LONG_NAME = 'A name of sixty characters, which is the longest one by far!';
const APPS = ['Partner feed', 'Nightly reports'];
const STATUSES = ['active', 'active', 'pending', 'coming_soon', 'closed', 'active_under_contract', 'hold'];
const CITIES = ['Austin', 'Dripping Springs', 'Wimberley', 'Marble Falls', 'Round Rock'];
const STREETS = ['Elm Street', 'Oak Avenue', 'Old Spicewood Springs Road', 'Congress Avenue', 'Ranch Road 12'];

const OUTSIDE = ['/sign-in'];
const INSIDE = [
  '/',
  '/listings',
  '/listings?view=map',
  '/listings?q=nothing',
  '/listings/new',
  '/listings/import',
  '/settings/api',
  '/settings/team',
  '/settings/account',
  '/profile',
  '/activity',
  '/feeds',
  '/feeds/new',
  '/developers/requests',
  '/developers/events',
  '/developers/webhooks',
];

/** Keys that open something on the Listings page. */
const KEYS: [key: string, name: string][] = [
  ['Control+k', 'palette'],
  ['?', 'shortcuts'],
];

/** The page of a listing. */
const LISTING = ['', '?tab=events', '?tab=json', '?edit=yes'];

/** Dialogs by the button that opens them. */
const DIALOGS: [path: string, button: string, name: string][] = [
  ['/listings', 'Filters', 'filters'],
  ['/settings/api', 'Generate API Key', 'generate'],
  ['/settings/api', 'Delete', 'delete'],
  ['/settings/team', 'Invite', 'invite'],
];

const UNAVAILABLE = JSON.stringify({
  error: { code: 'unavailable', message: 'The database is not available; try again.', requestId: 'example' },
});

function listingOf(index: number) {
  return {
    externalId: `MLS-${20_000 + index}`,
    address: `${100 + index} ${STREETS[index % STREETS.length]}`,
    beds: 1 + (index % 5),
    baths: 1 + (index % 3),
    status: STATUSES[index % STATUSES.length],
    city: CITIES[index % CITIES.length],
    stateOrProvince: 'TX',
    ...(index % 6 === 5
      ? {}
      : { listPrice: 285_000 + ((index * 7_350) % 900_000), livingArea: 900 + ((index * 37) % 2_400) }),
  };
}

async function prepare(service: TestService, { listings, keys }: { listings: number; keys: number }) {
  const name = listings > 1_000 ? LONG_NAME : 'Hill Country Homes';
  const tenant = listings === 0 ? undefined : await service.createTenant(name);
  const person = await createPerson(service, {
    name: 'Ada Moreno',
    email: 'ada@hillcountry.example',
    ...(tenant && { accountId: tenant.accountId }),
  });
  const api = await signIn(service, person);
  const lines = Array.from({ length: listings }, (_, index) => JSON.stringify(listingOf(index))).join('\n');
  if (tenant !== undefined) {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    await service.fetch(tenant, '/v1/imports', { method: 'POST', headers, body: lines });
  }
  for (let index = 1; index < keys; index += 1) {
    await createKey(service, api, keys > 10 ? LONG_NAME : (APPS[index - 1] ?? LONG_NAME), index);
  }
  if (listings > 0) await createFeedAndWebhook(api);
  const [listing] = (await api.ask('GET', '/admin/listings?limit=1')).data;
  if (listing !== undefined) await change(api, listing.id);
  const member = await createPerson(service, { accountId: person.accountId, role: 'member', name: 'Grace Hopper' });
  return { person, member, listingId: listing?.id };
}

/** Gives a listing a history, a place, and a description. */
async function change(api: Browser, id: string): Promise<void> {
  for (const listPrice of [525_000, 510_000, 519_000, 489_000]) {
    await api.ask('PATCH', `/admin/listings/${id}`, { listPrice });
  }
  const place = { latitude: 30.2672, longitude: -97.7431, description: 'Bright corner house near the park.' };
  await api.ask('PATCH', `/admin/listings/${id}`, { ...place, status: 'pending', metadata: { agent: 'Grace Hopper' } });
}

async function createFeedAndWebhook(api: Browser): Promise<void> {
  const rows = [1, 2, 3].map((index) => ({
    externalId: `F-${index}`,
    address: `${index} Lake Road`,
    beds: 3,
    baths: 2,
  }));
  await api.ask('PUT', '/admin/feeds/mls?failedMax=50%25', [...rows, { externalId: 'F-4', beds: 3, baths: 2 }]);
  await api.ask('PATCH', '/admin/feeds/mls', {
    expectedEveryHours: 24,
    missing: 'withdraw',
    map: { Ref: 'externalId' },
  });
  const endpoint = { url: 'https://example.com/webhooks', description: 'The website', enabled: false };
  await api.ask('POST', '/admin/webhooks', endpoint, 201);
  await api.ask('POST', '/admin/invitations', { email: 'grace@hillcountry.example', role: 'member' }, 201);
}

async function createKey(service: TestService, api: Browser, name: string, index: number): Promise<void> {
  const { key } = await api.ask('POST', '/admin/api-keys', { name, access: index % 2 === 0 ? 'full' : 'read' }, 201);
  for (let count = 0; count < (index * 7) % 23; count += 1) {
    await fetch(`${service.url}/v1/listings?limit=1`, { headers: { Authorization: `Bearer ${key}` } });
  }
}

async function shoot(size: keyof typeof SIZES): Promise<void> {
  await using service = await startTestService({ requestLog: { days: 7, bytes: 1e9 } });
  const { person, member, listingId } = await prepare(service, SIZES[size]);
  const pages =
    listingId === undefined
      ? INSIDE
      : [...INSIDE, ...LISTING.map((rest) => `/listings/${listingId}${rest}`), '/feeds/mls', '/feeds/mls/send'];
  const chromium = await launchBrowser();
  for (const width of [320, 820, 1280, 1920]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await using window = await openWindow(chromium, service, { width, colorScheme });
      const { page } = window;
      const save = (name: string) =>
        page.screenshot({ path: join(DIRECTORY, `${size}-${name}-${width}-${colorScheme}.png`) });
      for (const path of OUTSIDE) {
        await openPage(page, path);
        await settle(page);
        await save(path.slice(1));
      }
      await signInByForm(page, person);
      for (const path of pages) {
        await openPage(page, path);
        if (path.endsWith('view=map')) await page.getByText(/in this area/).waitFor();
        await settle(page);
        await save(path.slice(1).replace(listingId, 'id').replaceAll(/[/?=]/g, '-') || 'home');
      }
      for (const [path, button, name] of DIALOGS) {
        await openPage(page, path);
        await settle(page);
        const found = page.getByRole('button', { name: button, exact: true }).first();
        if ((await found.count()) === 0) continue;
        await found.click();
        await page.getByRole('dialog').waitFor();
        await settle(page);
        await save(name);
      }
      await saveStates(page, save);
      // `saveStates` causes errors, which the browser logs.
      window.problems.splice(0);
      await using guest = await openWindow(chromium, service, { width, colorScheme });
      await signInByForm(guest.page, member);
      await openPage(guest.page, '/settings/api');
      await settle(guest.page);
      await guest.page.screenshot({ path: join(DIRECTORY, `${size}-member-${width}-${colorScheme}.png`) });
    }
  }
  await chromium.close();
}

/** Saves the Listings page after a key press, while it loads, after an error, and offline, and a missing page. */
async function saveStates(page: Page, save: (name: string) => Promise<unknown>): Promise<void> {
  for (const [key, name] of KEYS) {
    await openPage(page, '/listings');
    await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor();
    await settle(page);
    await save(name);
  }
  await openPage(page, '/nothing', 'Not found');
  await save('not-found');
  const lists = /\/admin\/listings\?/;
  const loading = Promise.withResolvers<void>();
  await page.route(lists, async (route) => {
    await loading.promise;
    await route.fulfill({ status: 503, contentType: 'application/json', body: UNAVAILABLE });
  });
  await page.goto('/listings');
  await page.getByRole('status', { name: 'Loading' }).first().waitFor();
  await save('loading');
  loading.resolve();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await save('error');
  await page.unroute(lists);
  await openPage(page, '/listings');
  await page.context().setOffline(true);
  await page.getByRole('searchbox').fill('elm');
  await page.getByText(/can’t be reached/).waitFor();
  await settle(page);
  await save('offline');
  await page.context().setOffline(false);
}

const asked = process.argv.slice(2);
rmSync(DIRECTORY, { recursive: true, force: true });
mkdirSync(DIRECTORY, { recursive: true });
for (const size of ['none', 'few', 'many'] as const) if (asked.length === 0 || asked.includes(size)) await shoot(size);
console.log(`The screenshots are in ${DIRECTORY}`);
