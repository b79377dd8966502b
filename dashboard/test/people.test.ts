import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { OPERATOR } from '../../server/src/domain/access/audit.ts';
import { createAdministrator } from '../../server/src/domain/accounts/administrators.ts';
import { createPerson, PASSWORD, signIn } from '../../testkit/src/browser.ts';
import { nextTotp, totp } from '../../testkit/src/totp.ts';
import { fillSignIn, findBarriers, openPage, signInByForm, signOut, startDashboard } from './support/window.ts';

const { service, open, openSignedIn } = await startDashboard();

/** Invites a member and returns the link. */
async function invite(page: Page, email: string): Promise<string> {
  await page.goto('/settings/team');
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill(email);
  await dialog.getByRole('button', { name: 'Invite' }).click();
  const link = await dialog.getByText('/invitation#token=').innerText();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('table', { name: 'Invitations' }).getByText(email).waitFor();
  return link;
}

test('an invited member joins by the link, can manage only listings, and sees when their access ends', async () => {
  await using adas = await openSignedIn();
  const link = await invite(adas.page, 'grace@example.com');

  await using guests = await open();
  const { page } = guests;
  await page.goto(link);
  await page.getByRole('heading', { name: 'Join Hill Country Homes' }).waitFor();
  await page.getByLabel('Your name').fill('Grace Hopper');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Settings' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Activity' }).count(), 0);
  await page.goto('/settings/api');
  await page.getByText('You don’t have access to this page').waitFor();
  const statuses = await page.evaluate(async () => {
    const calls: [string, string, object?][] = [
      ['GET', '/admin/api-keys'],
      ['POST', '/admin/api-keys', { name: 'Mine' }],
      ['GET', '/admin/members'],
      ['POST', '/admin/invitations', { email: 'x@example.com', role: 'administrator' }],
      ['PATCH', '/admin/account', { name: 'Mine' }],
      ['GET', '/admin/activity'],
      ['GET', '/admin/listings'],
    ];
    const responses = calls.map(([method, path, body]) =>
      fetch(path, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
      }),
    );
    return (await Promise.all(responses)).map(({ status }) => status);
  });
  assert.deepEqual(statuses, [403, 403, 403, 403, 403, 403, 200]);

  await adas.page.reload();
  await adas.page.getByRole('row', { name: /Grace Hopper/ }).waitFor();
  await page.goto(link);
  await page.getByRole('heading', { name: 'This invitation can’t be used' }).waitFor();

  await page.goto('/listings');
  await page.getByText('No listings yet').waitFor();
  await adas.page.getByRole('button', { name: 'Remove Grace Hopper' }).click();
  await adas.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await adas.page.getByRole('row', { name: /Grace Hopper/ }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('whether you were removed from the account', { exact: false }).waitFor();
});

test('a new invitation link replaces the old one; giving up the administrator role needs a confirmation', async () => {
  await using window = await openSignedIn();
  const { page, person: ada } = window;
  await createPerson(service, { accountId: ada.accountId, name: 'Grace Hopper' });
  const before = await invite(page, 'edith@example.com');
  await page.getByRole('button', { name: 'New link for edith@example.com' }).click();
  const dialog = page.getByRole('dialog');
  const link = await dialog.getByText('/invitation#token=').innerText();
  assert.match(await dialog.innerText(), /Email isn’t set up.*seven days.*This link works on this machine only/s);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const preview = (url: string) => {
    const [, token = ''] = url.split('#token=');
    const headers = { 'Content-Type': 'application/json', Origin: service.url };
    return fetch(`${service.url}/admin/invitations/preview`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ token }),
    });
  };
  assert.deepEqual([(await preview(before)).status, (await preview(link)).status], [404, 200]);

  await page.getByLabel('Role of Grace Hopper').selectOption('Member');
  await dialog.getByRole('button', { name: 'Make member' }).click();
  await page.getByText('Grace Hopper is now a member.').waitFor();
  await page.getByRole('button', { name: 'Close notification' }).click();
  await page.getByLabel('Role of Grace Hopper').selectOption('Administrator');
  await dialog.getByRole('button', { name: 'Make administrator' }).click();
  await page.getByText('Grace Hopper is now an administrator.').waitFor();
  await page.getByRole('button', { name: 'Leave Ada Lovelace' }).click();
  await dialog.getByText('You will lose access to Hill Country Homes', { exact: false }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Role of Ada Lovelace').selectOption('Member');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await page.getByLabel('Role of Ada Lovelace').inputValue(), 'administrator');
  await page.getByLabel('Role of Ada Lovelace').selectOption('Member');
  await dialog.getByRole('button', { name: 'Become a member' }).click();
  await page.getByText('You are now a member.').waitFor();
  await page.getByText('You don’t have access to this page').waitFor();
});

test('an existing user joins a second account and switches between accounts', async () => {
  const ada = await createPerson(service);
  const tenant = await service.createTenant('Lakeside Rentals');
  const grace = await createPerson(service, { accountId: tenant.accountId, name: 'Grace Hopper' });
  await service.fetch(tenant, '/v1/imports', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: '{"address":"1 Lake Road","beds":3,"baths":2}',
  });
  await using adas = await open();
  await signInByForm(adas.page, ada);
  const link = await invite(adas.page, grace.email);

  await using graces = await open();
  const { page } = graces;
  await page.goto(link);
  await page.getByRole('link', { name: 'Go to sign-in' }).click();
  await page.getByLabel('E-mail').fill(grace.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Join' }).click();
  const switcher = page.getByRole('button', { name: /^Account: / });
  await switcher.waitFor();

  await switcher.click();
  await page.getByRole('menuitem', { name: 'Lakeside Rentals' }).click();
  await page.getByRole('button', { name: 'Account: Lakeside Rentals' }).waitFor();
  await page.getByRole('link', { name: 'Listings' }).click();
  await page.getByRole('row', { name: /1 Lake Road/ }).waitFor();
  await switcher.click();
  await page.getByRole('menuitem', { name: 'Hill Country Homes' }).click();
  await page.getByRole('button', { name: 'Account: Hill Country Homes' }).waitFor();
  await page.getByRole('link', { name: 'Listings' }).click();
  await page.getByText('No listings yet').waitFor();
  assert.equal(await page.getByText('1 Lake Road').count(), 0);
});

test('after another window switches the account, a page changes nothing, keeps its input, and asks what to do', async () => {
  const ada = await createPerson(service);
  const lakeside = await service.createTenant('Lakeside Rentals');
  await createAdministrator(service.database, lakeside.accountId, { email: ada.email }, 'administrator', OPERATOR);
  await using window = await open();
  const { page } = window;
  const choose = (accountId: string) =>
    page.evaluate((chosen) => {
      const headers = { 'Content-Type': 'application/json' };
      return fetch('/admin/session/account', { method: 'PUT', headers, body: JSON.stringify({ accountId: chosen }) });
    }, accountId);
  await signInByForm(page, ada);
  await choose(ada.accountId);
  await page.goto('/listings/new');
  await page.getByLabel('Address', { exact: true }).fill('1 Oak Avenue');
  await page.getByLabel('Beds').fill('3');
  await page.getByLabel('Baths').fill('2');
  await choose(lakeside.accountId);
  await page.getByRole('button', { name: 'Create listing' }).click();
  const dialog = page.getByRole('dialog', { name: 'You switched accounts in another window' });
  await dialog.getByText('your current account is now Lakeside Rentals').waitFor();
  await page.keyboard.press('Escape');
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Stay in Hill Country Homes' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Nothing was saved').waitFor();
  await page.getByRole('button', { name: 'Create listing' }).click();
  await page.getByRole('row', { name: /1 Oak Avenue/ }).waitFor();

  await choose(lakeside.accountId);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await dialog.getByRole('button', { name: 'Go to Lakeside Rentals' }).click();
  await page.getByRole('button', { name: 'Account: Lakeside Rentals' }).waitFor();
  await page.getByRole('link', { name: 'Listings' }).click();
  await page.getByText('No listings yet').waitFor();
});

test('after another user signs in, other windows show nothing of the previous user', async () => {
  await using window = await openSignedIn();
  const { page, person: ada } = window;
  const grace = await createPerson(service, { accountId: ada.accountId, name: 'Grace Hopper' });
  await page.goto('/settings/team');
  await page.getByRole('row', { name: /Ada Lovelace You/ }).waitFor();
  const other = await page.context().newPage();
  await other.goto('/');
  await signOut(other);
  await signInByForm(other, grace);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await page.getByRole('row', { name: /Grace Hopper You/ }).waitFor();
  assert.equal(await page.getByText('You', { exact: true }).count(), 1);
});

test('two accounts in two browsers never see each other', async () => {
  const [first, second] = [await service.createTenant('First Homes'), await service.createTenant('Second Homes')];
  const texts = await Promise.all(
    [first, second].map(async (tenant, index) => {
      const body = JSON.stringify({ address: `${index + 1} Secret Street`, beds: 3, baths: 2 });
      const headers = { 'Content-Type': 'application/json' };
      await service.fetch(tenant, '/v1/listings', { method: 'POST', headers, body });
      const person = await createPerson(service, { accountId: tenant.accountId, name: `Person ${index + 1}` });
      await using window = await openSignedIn({ person });
      const { page } = window;
      let seen = '';
      for (const path of ['/', '/listings', '/settings/api', '/settings/team', '/activity']) {
        await openPage(page, path);
        if (path === '/listings') await page.getByText('Secret Street').waitFor();
        seen += await page.content();
      }
      return seen;
    }),
  );
  for (const [index, text] of texts.entries()) {
    assert.ok(text.includes(`${index + 1} Secret Street`));
    const other = 2 - index;
    for (const foreign of [`${other} Secret Street`, `Person ${other}`, other === 1 ? 'First Homes' : 'Second Homes']) {
      assert.ok(!text.includes(foreign), foreign);
    }
  }
});

test('two-step sign-in is turned on with an app, asks for a code, and accepts a recovery code', async () => {
  await using window = await openSignedIn();
  const { page, person } = window;
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('dialog').getByLabel('Password').fill('wrong password');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').locator('input[aria-invalid="true"]').waitFor();
  await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: /authenticator app/ }).waitFor();
  const secret = await page.getByRole('dialog').locator('code').innerText();
  const uri = `otpauth://totp/x?secret=${secret}`;
  await page.getByRole('dialog').getByLabel('Code', { exact: true }).fill(totp(uri));
  await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('You won’t be able to see them again.').waitFor();
  await page.getByText('Enabled', { exact: true }).waitFor();
  const codes = await page.getByRole('dialog').locator('code').innerText();
  const [recoveryCode = ''] = codes.split('\n');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
  ]);
  assert.equal(await readFile(await download.path(), 'utf8'), `${codes}\n`);
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();

  await signOut(page);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(recoveryCode);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  await page.goto('/profile');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD);
  await page.getByRole('dialog').getByLabel('Code').fill(recoveryCode);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').locator('input[aria-invalid="true"]').waitFor();
  await page.getByRole('dialog').getByLabel('Code').fill(nextTotp(uri));
  await page.keyboard.press('Enter');
  await page.getByText('Disabled', { exact: true }).waitFor();
});

test('a passkey is added, signs in without a password, and is deleted', async () => {
  // Browsers have no passkeys for IP addresses.
  await using window = await open({ url: service.url.replace('127.0.0.1', 'localhost') });
  const { page } = window;
  const person = await createPerson(service);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await devTools.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, isUserVerified: true } });
  await signInByForm(page, person);
  await page.goto('/profile');
  await page.getByText('No passkeys yet.').waitFor();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Laptop');
  await dialog.getByLabel('Password').fill('wrong password');
  await page.keyboard.press('Enter');
  await dialog.locator('input[aria-invalid="true"]').waitFor();
  await dialog.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /Laptop/ }).waitFor();
  assert.deepEqual(await findBarriers(page), []);

  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await dialog.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.getByText('This device already has a passkey for your account.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await signOut(page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  await page.goto('/profile');
  await page
    .getByRole('row', { name: /Laptop/ })
    .getByRole('button', { name: 'Delete' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No passkeys yet.').waitFor();
  await signOut(page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('This passkey is not registered here; sign in with your password.').waitFor();
});

test('at an IP address, passkeys are not offered, but explained', async () => {
  await using window = await openSignedIn();
  const { page } = window;
  await page.goto('/profile');
  await page.getByText('open the dashboard over HTTPS at its domain name').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0);
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Use a passkey' }).count(), 0);
});

test('ending all other sessions sends the other browser to the sign-in page', async () => {
  await using here = await openSignedIn();
  const { person } = here;
  await using there = await openSignedIn({ person });
  await there.page.goto('/listings?sort=beds');
  await here.page.goto('/profile');
  await here.page.getByRole('button', { name: 'End all other sessions' }).click();
  await here.page.getByRole('button', { name: 'End', exact: true }).waitFor({ state: 'detached' });
  await there.page.getByRole('searchbox').fill('elm');
  await there.page.getByText('Your session expired').waitFor();
  await fillSignIn(there.page, person);
  await there.page.waitForURL(/\/listings\?.*q=elm/);
});

test('account settings show errors beside their fields, and changes appear in the activity log', async () => {
  await using window = await openSignedIn();
  const { page, person } = window;
  const listing = { address: '12 Elm Street', beds: 3, baths: 2 };
  const { id } = await (await signIn(service, person)).ask('POST', '/admin/listings', listing, 201);
  await page.goto('/settings/account');
  await page.getByLabel('Default currency').fill('dollars');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('input[aria-invalid="true"]').waitFor();
  await page.getByLabel('Default currency').fill('eur');
  await page.getByLabel('Name', { exact: true }).fill('Lakeside Homes');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Account saved.').waitFor();
  await page.getByRole('complementary').getByText('Lakeside Homes').waitFor();
  await page.getByRole('link', { name: 'Activity' }).click();
  await page
    .getByRole('row', {
      name: /Updated the account Hill Country Homes: now called Lakeside Homes, prices in EUR.*Ada Lovelace.*@example.com.*127\.0\.0\.1/,
    })
    .waitFor();
  await page.getByLabel('User').selectOption('Operator');
  await page.getByRole('row', { name: /Created the account/ }).waitFor();
  await page.getByRole('row', { name: /Created the listing/ }).waitFor({ state: 'detached' });
  await page.getByLabel('To', { exact: true }).focus();
  await page.keyboard.type('01312026', { delay: 50 });
  await page.getByText('No matching activity').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.getByLabel('Type').selectOption('Listings');
  await page.getByRole('row', { name: /Updated the account/ }).waitFor({ state: 'detached' });
  await page
    .getByRole('row', { name: /Created the listing/ })
    .getByRole('link', { name: '12 Elm Street' })
    .click();
  await page.waitForURL(`**/listings/${id}`);
});

test('on a small screen, navigation is behind a button, and keys show their expiry', async () => {
  await using window = await openSignedIn({ width: 390 });
  const { page } = window;
  await page.getByRole('button', { name: 'Open menu' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // Wait for the page, because the first steps also have a Generate API Key button.
  await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Generate API Key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Website');
  await page.getByRole('dialog').getByLabel('Expires').selectOption('In 30 days');
  await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /Website.*expires in 30 days/ }).waitFor();
  await page.goto('/sign-in');
  await page.getByRole('heading', { name: /^Welcome/ }).waitFor();
});
