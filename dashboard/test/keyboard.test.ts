import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createPerson, PASSWORD } from '../../testkit/src/browser.ts';
import { startDashboard, untilFocused } from './support/window.ts';

const { service, open } = await startDashboard();

/** More Tab presses than any page needs. */
const TABS_MAX = 45;

async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let count = 0; count < TABS_MAX; count += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${target} is not reached in ${TABS_MAX} steps`);
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

test('fifteen tasks can be done with the keyboard alone', async (t) => {
  const person = await createPerson(service);
  await using window = await open();
  const { page } = window;
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = page.getByRole('dialog');

  await t.test('1. sign in', async () => {
    await page.goto('/');
    await untilFocused(page.getByLabel('E-mail'));
    await page.keyboard.type(person.email);
    await type(page, page.getByLabel('Password'), PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Welcome/ }).waitFor();
  });

  await t.test('2. open the API settings', async () => {
    await press(page, page.getByRole('link', { name: 'Settings' }));
    await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor();
    assert.ok(
      await page.locator('#main').evaluate((main) => main === document.activeElement),
      'Tab starts in the page',
    );
  });

  await t.test('3. generate a read-only key and copy it', async () => {
    await press(page, button('Generate API Key'));
    await untilFocused(dialog.getByLabel('Name'));
    await page.keyboard.type('Website');
    await tabTo(page, dialog.getByRole('radio', { name: 'Full access' }));
    await page.keyboard.press('ArrowDown');
    await press(page, dialog.getByRole('button', { name: 'Generate' }));
    await press(page, dialog.getByRole('button', { name: 'Copy', exact: true }));
    await dialog.getByText('Copied to the clipboard.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /Website.*Read only/ }).waitFor();
    await untilFocused(button('Generate API Key'));
  });

  await t.test('4. delete the key', async () => {
    await press(page, button('Delete').first());
    // If Tab were pressed earlier, the dialog could move the focus afterward.
    await untilFocused(dialog.getByRole('button', { name: 'Cancel' }));
    await press(page, dialog.getByRole('button', { name: 'Delete' }));
    await page.getByText('No API keys yet').waitFor();
    await untilFocused(page.locator('#main'));
  });

  await t.test('5. create a listing', async () => {
    await press(page, page.getByRole('link', { name: 'Listings' }));
    await press(page, page.getByRole('link', { name: 'New listing' }));
    await type(page, page.getByLabel('Address', { exact: true }), '12 Elm Street');
    await type(page, page.getByLabel('Beds'), '3');
    await type(page, page.getByLabel('Baths'), '2');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /12 Elm Street/ }).waitFor();
  });

  await t.test('6. change the listing’s price', async () => {
    await press(page, page.getByRole('link', { name: '12 Elm Street' }));
    await press(page, button('Edit'));
    await type(page, page.getByLabel('Price', { exact: true }), '$450,000');
    await page.keyboard.press('Enter');
    await page.getByRole('definition').getByText('$450,000').waitFor();
    await untilFocused(button('Edit'));
    await press(page, page.getByRole('link', { name: 'Back' }));
    await page.getByRole('row', { name: /\$450,000/ }).waitFor();
  });

  await t.test('7. search and filter', async () => {
    await type(page, page.getByRole('searchbox'), 'oak');
    await page.getByText('No matching listings').waitFor();
    await press(page, page.getByRole('link', { name: 'Clear search and filters' }));
    await press(page, button('Filters'));
    await press(page, page.getByRole('checkbox', { name: 'Active', exact: true }), 'Space');
    await press(page, button('Apply'));
    await page.getByText('1 listing matches').waitFor();
    await press(page, button('Remove Status'));
  });

  await t.test('8. delete the listing and undo', async () => {
    await press(page, button('Actions for 12 Elm Street'));
    await untilFocused(page.getByRole('menuitem', { name: 'Edit' }));
    await page.keyboard.press('ArrowDown');
    await untilFocused(page.getByRole('menuitem', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await page.getByText('No listings yet').waitFor();
    await press(page, button('Undo'));
    await page.getByRole('row', { name: /12 Elm Street/ }).waitFor();
  });

  await t.test('9. invite a member', async () => {
    await press(page, page.getByRole('link', { name: 'Settings' }));
    await press(page, page.getByRole('link', { name: 'Team' }));
    await press(page, button('Invite'));
    await untilFocused(dialog.getByLabel('E-mail'));
    await page.keyboard.type('grace@example.com');
    await page.keyboard.press('Enter');
    await press(page, dialog.getByRole('button', { name: 'Done' }));
    await page.getByRole('row', { name: /grace@example.com/ }).waitFor();
  });

  await t.test('10. make a colleague an administrator', async () => {
    await createPerson(service, { accountId: person.accountId, role: 'member', name: 'Grace Hopper' });
    await page.reload();
    await tabTo(page, page.getByLabel('Role of Grace Hopper'));
    await page.keyboard.press('ArrowDown');
    await untilFocused(dialog.getByRole('button', { name: 'Cancel' }));
    await press(page, dialog.getByRole('button', { name: 'Make administrator' }));
    await page.getByText('Grace Hopper is now an administrator.').waitFor();
  });

  await t.test('11. go to a page with the command palette', async () => {
    await page.keyboard.press('Control+k');
    await untilFocused(page.getByPlaceholder('Search listings, pages, and actions'));
    await page.keyboard.type('webh');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  });

  await t.test('12. add a webhook endpoint', async () => {
    await press(page, button('Add endpoint'));
    await untilFocused(dialog.getByLabel('URL'));
    await page.keyboard.type('https://example.com/webhooks');
    await page.keyboard.press('Enter');
    await press(page, dialog.getByRole('button', { name: 'Copy', exact: true }));
    await press(page, dialog.getByRole('button', { name: 'Done' }));
    await page.getByText('https://example.com/webhooks').first().waitFor();
  });

  await t.test('13. import a file', async () => {
    await press(page, page.getByRole('link', { name: 'Listings' }));
    await press(page, page.getByRole('link', { name: 'Import' }));
    const chooser = page.waitForEvent('filechooser');
    await press(page, button('Choose file'));
    const file = {
      name: 'mls.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Street,Beds,Baths\n7 Oak Avenue,3,2\n'),
    };
    await (await chooser).setFiles(file);
    await press(page, button('Check the file'));
    await press(page, button('Import 1 row'));
    await press(page, page.getByRole('link', { name: 'Go to listings' }));
    await page.getByRole('row', { name: /7 Oak Avenue/ }).waitFor();
  });

  await t.test('14. see what a colleague did', async () => {
    await press(page, page.getByRole('link', { name: 'Activity' }));
    await tabTo(page, page.getByLabel('Type'));
    await page.keyboard.type('Webh');
    await page.getByRole('row', { name: /Added the webhook|Created the webhook endpoint/ }).waitFor();
    await page.getByRole('row', { name: /Imported listings/ }).waitFor({ state: 'detached' });
  });

  await t.test('15. switch to dark mode and sign out', async () => {
    await press(page, button(/^Your menu/));
    await untilFocused(page.getByRole('menuitem', { name: 'Profile and security' }));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await press(page, button(/^Your menu/));
    await untilFocused(page.getByRole('menuitem', { name: 'Profile and security' }));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByLabel('E-mail').waitFor();
  });
});
