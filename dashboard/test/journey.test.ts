import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPerson, PASSWORD, signIn } from '../../testkit/src/browser.ts';
import { settle, signInByForm, startDashboard, untilFocused } from './support/window.ts';

const { service, open, openSignedIn } = await startDashboard();

const OVERVIEW_REFETCH_MS = 15_000;
const UNAUTHORIZED = '{"error":{"code":"unauthorized","message":"Invalid or missing API key"}}';

function createListing(key: string, address: string): Promise<Response> {
  return fetch(`${service.url}/v1/listings`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ address, beds: 3, baths: 2 }),
  });
}

test('from the setup link to a replaced API key: the keys work, and cannot be read afterward', async () => {
  await using window = await open();
  const { page } = window;
  const bodies: string[] = [];

  async function generateKey(name: string): Promise<string> {
    await page.getByRole('button', { name: 'Generate API Key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Generate' }).click();
    await dialog.getByRole('button', { name: 'Copy', exact: true }).waitFor();
    assert.equal(await dialog.getByRole('button').first().textContent(), 'Copy');
    await page.keyboard.press('Enter');
    await dialog.getByText('Copied to the clipboard.').waitFor();
    const key = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(key, /^plk_[A-Za-z0-9]{38}$/);
    assert.match(await dialog.innerText(), /You won’t be able to see it again/);
    assert.match(await dialog.innerText(), new RegExp(`curl .*/v1/listings[^]*Bearer ${key}`));
    return key;
  }

  await page.goto('/');
  await page.getByText('Open the setup link', { exact: false }).waitFor();
  await page.getByText('setup-link.txt in the data directory').waitFor();
  assert.ok(!(await page.content()).includes(service.directory));
  await page.goto('/setup#token=old');
  await page.getByText('This setup link is not valid', { exact: false }).waitFor();
  await page.goto((await readFile(join(service.directory, 'setup-link.txt'), 'utf8')).trim());
  await page.getByLabel('Account').fill('Hill Country Homes');
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill('short');
  await page.getByRole('button', { name: 'Finish setup' }).click();
  await page.getByText('Must have 8 to', { exact: false }).waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Finish setup' }).click();
  await page.getByRole('heading', { name: 'Welcome, Ada Lovelace' }).waitFor();
  assert.ok(!page.url().includes('token'));

  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'API', exact: true }).click();
  const first = await generateKey('Website');
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  assert.equal((await createListing(first, '12 Elm Street')).status, 201);
  await page.getByRole('link', { name: 'Listings' }).click();
  await page.getByRole('row', { name: /12 Elm Street/ }).waitFor();

  await page.getByRole('link', { name: 'Settings' }).click();
  const second = await generateKey('Replacement');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page
    .getByRole('row', { name: /Website/ })
    .getByRole('button', { name: 'Delete' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 request in the last 24 hours.').waitFor();
  assert.equal(await dialog.getByRole('button').last().textContent(), 'Delete');
  await dialog.getByRole('button', { name: 'Delete' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Website/ }).waitFor({ state: 'detached' });

  const rejected = await createListing(first, '13 Elm Street');
  assert.deepEqual([rejected.status, await rejected.text()], [401, UNAUTHORIZED]);
  assert.equal((await createListing(second, '14 Elm Street')).status, 201);

  page.on('response', (response) => {
    void response.text().then(
      (text) => bodies.push(text),
      () => undefined,
    );
  });
  await page.reload();
  await page.getByRole('row', { name: /Replacement/ }).waitFor();
  const readable = await page.evaluate(() =>
    JSON.stringify([
      document.documentElement.outerHTML,
      { ...localStorage },
      { ...sessionStorage },
      history.state,
      location.href,
    ]),
  );
  for (const key of [first, second]) {
    assert.ok(!readable.includes(key));
    assert.ok(bodies.length > 0 && bodies.every((text) => !text.includes(key)));
  }
});

test('the first listing appears without a reload and does not close the dialog with the new key', async () => {
  await using window = await open();
  const { page } = window;
  await page.clock.install();
  await signInByForm(page, await createPerson(service));
  await page.getByText('Waiting for your first listing', { exact: false }).waitFor();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/admin/api-keys', async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Generate API Key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Website');
  await page.keyboard.press('Enter');
  // Escape must not close the dialog before the key has been shown.
  await page.keyboard.press('Escape');
  release();
  const key = await page.getByTestId('secret').innerText();
  assert.equal((await createListing(key, '7 Oak Avenue')).status, 201);
  await page.getByText('7 Oak Avenue').waitFor();
  await Promise.all([page.waitForResponse('**/admin/overview'), page.clock.runFor(OVERVIEW_REFETCH_MS)]);
  assert.equal(await page.getByTestId('secret').innerText(), key);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.ok(!(await page.content()).includes(key));
  await page.getByRole('button', { name: 'Go to overview' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

test('without a clipboard, Copy selects the key; the delete dialog notices that the key is already deleted', async () => {
  await using window = await openSignedIn({ hasClipboard: false });
  const { page, person } = window;
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.execCommand = () => false;
  });
  await page.goto('/settings/api');
  await page.getByRole('button', { name: 'Generate API Key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Website');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('The clipboard isn’t available.', { exact: false }).waitFor();
  const selected = await page.evaluate(() => String(getSelection()));
  assert.match(selected, /^plk_[A-Za-z0-9]{38}$/);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByText('Never used.').waitFor();
  const browser = await signIn(service, person);
  const { data } = await browser.ask('GET', '/admin/api-keys');
  await browser.ask('DELETE', `/admin/api-keys/${data[0].id}`, undefined, 204);
  await page.getByRole('dialog').getByText('Website has already been deleted.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByText('No API keys yet').waitFor();
});

test('a read-only key shows a command that reads, and requires a valid expiry date', async () => {
  await using window = await openSignedIn({ width: 390 });
  const { page } = window;
  await untilFocused(page.locator('#main'));
  await page.goto('/settings/api');
  await page.getByRole('button', { name: 'Generate API Key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Reports');
  await dialog.getByLabel('Read only').check();
  await dialog.getByLabel('Expires').selectOption('On a date');
  await dialog.getByRole('button', { name: 'Generate' }).click();
  await dialog.getByText('Choose a date.').waitFor();
  await dialog.getByLabel('Date').fill('2099-12-31');
  await dialog.getByRole('button', { name: 'Generate' }).click();
  const key = await page.getByTestId('secret').innerText();

  const copyLine = dialog.getByRole('button', { name: 'Copy the curl example' });
  const edge = async () => (await copyLine.boundingBox())?.x;
  await settle(page);
  const before = await edge();
  const done = await dialog.getByRole('button', { name: 'Done' }).boundingBox();
  assert.ok(before !== undefined && done !== null && before > done.x, 'the button is at the right edge');
  await copyLine.click();
  await dialog.getByText('Copied to the clipboard.').waitFor();
  assert.equal(await edge(), before);
  const line = await page.evaluate(() => navigator.clipboard.readText());
  const [, url = ''] = /^curl "([^"]+)"/.exec(line) ?? [];
  assert.ok(!line.includes('-d '));
  assert.equal((await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status, 200);
});

test('a key is renamed and rolled; only a copy or Done closes the new key, and Delete is visible at every width', async () => {
  await using window = await openSignedIn({ width: 820 });
  const { page, person } = window;
  const browser = await signIn(service, person);
  const { key } = await browser.ask('POST', '/admin/api-keys', { name: 'Website' }, 201);
  await page.goto('/settings/api');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Actions for Website' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await untilFocused(page.getByRole('button', { name: 'Actions for Website' }));
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await dialog.getByLabel('Name').fill('Partner site');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('row', { name: /Partner site/ }).waitFor();

  assert.equal((await createListing(key, '12 Elm Street')).status, 201);
  await page.getByRole('button', { name: 'Actions for Partner site' }).click();
  await page.getByRole('menuitem', { name: 'Roll' }).click();
  await dialog.getByLabel('The old key expires').selectOption('In 1 hour');
  await dialog.getByRole('button', { name: 'Roll' }).click();
  const rolled = await dialog.getByTestId('secret').innerText();
  await page.mouse.click(5, 5);
  await page.keyboard.press('Escape');
  assert.equal(await dialog.getByTestId('secret').innerText(), rolled);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Replaced, last used just now').waitFor();
  for (const each of [key, rolled]) assert.equal((await createListing(each, '13 Elm Street')).status, 201);

  await browser.ask('POST', '/admin/api-keys', { name: 'Archive' }, 201);
  await page.reload();
  const names = () =>
    page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.querySelector('bdi')?.innerText));
  await page.getByRole('row', { name: /Archive/ }).waitFor();
  const sortBy = (column: string) => page.getByRole('button', { name: column, exact: true }).click();
  await sortBy('Name');
  assert.deepEqual(await names(), ['Archive', 'Partner site', 'Partner site']);
  await sortBy('Name');
  assert.deepEqual(await names(), ['Partner site', 'Partner site', 'Archive']);
  await sortBy('Last used');
  assert.equal((await names()).at(-1), 'Archive', 'keys that were never used come last');
  await page.locator('tbody tr').first().focus();
  await page.keyboard.press('ArrowDown');
  await untilFocused(page.locator('tbody tr').nth(1));

  for (const width of [320, 820, 1024, 1280, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    for (const button of await page.getByRole('button', { name: 'Delete' }).all()) {
      const box = await button.boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width, `Delete is visible at ${width} px`);
    }
  }
});
