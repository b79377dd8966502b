import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPerson, signIn } from '../../testkit/src/browser.ts';
import {
  assertFits,
  findBarriers,
  openListings,
  openPage,
  settle,
  startDashboard,
  untilFocused,
} from './support/window.ts';

const dashboard = await startDashboard();
const { service, openSignedIn } = dashboard;

test('the palette opens pages, actions, listings, and the requests of a key with the keyboard', async () => {
  await using window = await openListings(dashboard, 3);
  const { page, tenant } = window;
  const api = await signIn(service, await createPerson(service, { accountId: tenant.accountId }));
  await api.ask('POST', '/admin/api-keys', { name: 'Partner site' }, 201);
  await openPage(page, '/listings', 'Listings');
  const field = page.getByRole('textbox', { name: 'Search or run an action' });
  const find = async (words: string, action: string) => {
    await page.keyboard.press('ControlOrMeta+k');
    await untilFocused(field);
    await page.keyboard.type(words);
    await page.locator('[data-action][data-selected]').filter({ hasText: action }).waitFor();
    await page.keyboard.press('Enter');
    await field.waitFor({ state: 'detached' });
  };
  await find('2 elm', '2 Elm Street');
  await page.getByRole('heading', { level: 1, name: '2 Elm Street' }).waitFor();
  await find('partner', 'Partner site');
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  assert.match(page.url(), /keyId=key_/);
  await find('generate', 'Generate API Key');
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await find('webh', 'Webhooks');
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await page.keyboard.press('ControlOrMeta+k');
  await untilFocused(field);
  await page.keyboard.type('nothing like this');
  await page.getByText('Nothing found.').waitFor();
});

test('the palette keeps the focus if a dialog behind it closes', async () => {
  await using window = await openSignedIn();
  const { page, person } = window;
  const api = await signIn(service, await createPerson(service, { accountId: person.accountId }));
  await api.ask('POST', '/admin/api-keys', { name: 'Partner site' }, 201);
  await openPage(page, '/settings/api', 'API keys');
  const sent = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await page.route('**/admin/api-keys/*', async (route) => {
    sent.resolve();
    await answer.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Delete' });
  await question.getByRole('button', { name: 'Delete' }).click();
  await sent.promise;
  await page.keyboard.press('ControlOrMeta+k');
  const field = page.getByRole('textbox', { name: 'Search or run an action' });
  await untilFocused(field);
  answer.resolve();
  await question.waitFor({ state: 'detached' });
  await page.keyboard.type('webh');
  assert.equal(await field.inputValue(), 'webh');
});

test('/ searches, n creates a listing, ? shows the shortcuts, and typing in a field does none of these', async () => {
  await using window = await openListings(dashboard, 1);
  const { page } = window;
  await openPage(page, '/listings', 'Listings');
  await page.keyboard.press('/');
  await untilFocused(page.getByRole('searchbox'));
  await page.keyboard.type('n?/');
  assert.equal(await page.getByRole('searchbox').inputValue(), 'n?/');
  await page.getByRole('button', { name: 'Clear search' }).click();
  await page.locator('#main').focus();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByText('New listing').waitFor();
  await settle(page);
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('n');
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('n');
  await page.getByRole('heading', { level: 1, name: 'New listing' }).waitFor();
});

for (const [width, colorScheme] of [
  [320, 'dark'],
  [820, 'light'],
] as const) {
  test(`the palette has no accessibility violation and fits in ${width} pixels; a member sees only their pages`, async () => {
    const { accountId } = await createPerson(service);
    const person = await createPerson(service, { accountId, role: 'member' });
    await using window = await openSignedIn({ width, colorScheme, person });
    const { page } = window;
    await untilFocused(page.locator('#main'));
    if (width === 320) await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await untilFocused(page.getByRole('textbox', { name: 'Search or run an action' }));
    await page.getByRole('dialog').getByText('Profile and security').waitFor();
    assert.equal(await page.getByRole('dialog').getByText('API keys').count(), 0);
    await settle(page);
    assert.deepEqual(await findBarriers(page), []);
    await assertFits(page);
  });
}
