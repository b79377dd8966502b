import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createPerson, signIn } from '../../testkit/src/browser.ts';
import { fill } from '../../testkit/src/listings.ts';
import { startTestService } from '../../testkit/src/service.ts';
import { launchBrowser } from './support/chromium.ts';
import { assertFits, findBarriers, openWindow, signInByForm, type Window } from './support/window.ts';

const service = await startTestService();
const chromium = await launchBrowser();
after(async () => {
  await chromium.close();
  await service[Symbol.asyncDispose]();
});

const tenant = await service.createTenant();
const [listingId = ''] = await fill(service, tenant, 60);
const person = await createPerson(service, { accountId: tenant.accountId });
const newcomer = await createPerson(service);
const given = { email: 'grace.brewster.murray.hopper@example.com', role: 'member' };
await (await signIn(service, person)).ask('POST', '/admin/invitations', given, 201);

/** Each page with what it shows when it is ready. */
const PAGES: [path: string, heading: string][] = [
  ['/', 'Overview'],
  ['/listings', 'Listings'],
  ['/listings?q=nothing+like+this', 'Listings'],
  ['/listings?limit=abc', 'Listings'],
  ['/listings/new', 'New listing'],
  [`/listings/${listingId}`, ''],
  ['/listings/lst_none', 'No such listing'],
  ['/listings/import', 'Import'],
  ['/settings/api', 'API keys'],
  ['/settings/team', 'Team'],
  ['/settings/account', 'Account'],
  ['/profile', 'Profile and security'],
  ['/activity', 'Activity'],
];

async function openPage(page: Page, path: string, heading: string): Promise<void> {
  await page.goto(path);
  const name = heading === '' ? {} : { name: heading, exact: true };
  await page.getByRole('heading', { level: 1, ...name }).waitFor({ state: 'attached' });
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
}

for (const colorScheme of ['light', 'dark'] as const) {
  describe(`${colorScheme}: pages have no barrier that axe-core knows and no error in the console`, async () => {
    test('signed out', async () => {
      await using window = await openWindow(chromium, service, { colorScheme });
      const { page, problems } = window;
      for (const [path, heading] of [
        ['/sign-in', 'Sign in'],
        ['/sign-in?ended=yes', 'Sign in'],
        ['/setup', 'Already set up'],
        ['/invitation#token=none', 'This invitation cannot be used'],
        ['/nothing', 'Not found'],
      ] as const) {
        await openPage(page, path, heading);
        await checkPage(window, path);
      }
      assert.deepEqual(problems, []);
    });

    test('signed in', async () => {
      await using window = await openWindow(chromium, service, { colorScheme });
      const { page, problems } = window;
      await signInByForm(page, person);
      for (const [path, heading] of PAGES) {
        await openPage(page, path, heading);
        await checkPage(window, path);
      }
      assert.deepEqual(problems, []);
    });

    test('dialogs, menus and the first steps', async () => {
      await using window = await openWindow(chromium, service, { colorScheme });
      const { page, problems } = window;
      await signInByForm(page, newcomer);
      await page.getByText('Waiting for the first listing').waitFor();
      await checkPage(window, 'first steps');
      await page.getByRole('button', { name: 'Generate API Key' }).click();
      await page.getByRole('dialog').getByLabel('Name').waitFor();
      await checkPage(window, 'generate');
      await page.getByRole('dialog').getByLabel('Name').fill('Website');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).waitFor();
      await checkPage(window, 'key');
      await page.keyboard.press('Escape');
      await page.goto('/settings/team');
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('dialog').getByLabel('E-mail').fill(`${colorScheme}@example.com`);
      await page.keyboard.press('Enter');
      await page.getByText('This link works on this machine only').waitFor();
      await checkPage(window, 'invitation');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /Your menu/ }).click();
      await page.getByRole('menuitemradio', { name: 'As the system', checked: true }).waitFor();
      await checkPage(window, 'menu');
      await page.keyboard.press('Escape');
      assert.deepEqual(problems, []);
    });

    test('the menus of the list', async () => {
      await using window = await openWindow(chromium, service, { colorScheme });
      const { page, problems } = window;
      await signInByForm(page, person);
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
      await checkPage(window, 'filters');
      assert.deepEqual(problems, []);
    });
  });
}

/** Adds what is wrong with the page to its problems, so that all of them are told at once. */
async function checkPage({ page, problems }: Window, name: string): Promise<void> {
  // What fades in is fainter until it is there; what turns for ever is not waited for.
  await page.evaluate(() => {
    const passing = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    return Promise.all(passing.map(({ finished }) => finished.catch(() => undefined)));
  });
  problems.push(...(await findBarriers(page)).map((barrier) => `${name}: ${barrier}`));
}

for (const width of [360, 1920]) {
  test(`no page is wider than a window of ${width} pixels`, async () => {
    await using window = await openWindow(chromium, service, { width });
    await window.page.goto('/sign-in');
    await assertFits(window.page);
    await signInByForm(window.page, person);
    for (const [path, heading] of PAGES) {
      await openPage(window.page, path, heading);
      await assertFits(window.page);
    }
  });
}
