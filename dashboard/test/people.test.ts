import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAdministrator } from '../../server/src/domain/administrators.ts';
import { OPERATOR } from '../../server/src/domain/audit.ts';
import { createPerson, PASSWORD } from '../../testkit/src/browser.ts';
import { startTestService } from '../../testkit/src/service.ts';
import { nextTotp, totp } from '../../testkit/src/totp.ts';
import { launchBrowser } from './support/chromium.ts';
import { findBarriers, openWindow, signInByForm } from './support/window.ts';

const service = await startTestService();
const chromium = await launchBrowser();
after(async () => {
  await chromium.close();
  await service[Symbol.asyncDispose]();
});

/** Invites somebody on the page, and gives the link. */
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

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Your menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail').waitFor();
}

test('somebody invited joins by the link, works with listings and with nothing else, and is told when they are out again', async () => {
  const ada = await createPerson(service);
  await using adas = await openWindow(chromium, service);
  await signInByForm(adas.page, ada);
  const link = await invite(adas.page, 'grace@example.com');

  await using guests = await openWindow(chromium, service);
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
  await page.getByText('You cannot see this page').waitFor();
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
    const replies = calls.map(([method, path, body]) =>
      fetch(path, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
      }),
    );
    return (await Promise.all(replies)).map(({ status }) => status);
  });
  assert.deepEqual(statuses, [403, 403, 403, 403, 403, 403, 200]);

  await adas.page.reload();
  await adas.page.getByRole('row', { name: /Grace Hopper/ }).waitFor();
  await page.goto(link);
  await page.getByRole('heading', { name: 'This invitation cannot be used' }).waitFor();

  await page.goto('/listings');
  await page.getByText('No listings yet').waitFor();
  await adas.page.getByRole('button', { name: 'Remove Grace Hopper' }).click();
  await adas.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await adas.page.getByRole('row', { name: /Grace Hopper/ }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('you may have been removed from the account', { exact: false }).waitFor();
  assert.deepEqual([adas.problems, guests.problems], [[], []]);
});

test('an invitation gets a new link, which ends the one before; changes of roles are told, and one’s own is asked for', async () => {
  const ada = await createPerson(service);
  await createPerson(service, { accountId: ada.accountId, name: 'Grace Hopper' });
  await using window = await openWindow(chromium, service);
  const { page, problems } = window;
  await signInByForm(page, ada);
  const before = await invite(page, 'edith@example.com');
  await page.getByRole('button', { name: 'New link for edith@example.com' }).click();
  const dialog = page.getByRole('dialog');
  const link = await dialog.getByText('/invitation#token=').innerText();
  assert.match(await dialog.innerText(), /Nothing was mailed.*seven days.*This link works on this machine only/s);
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
  await page.getByText('Grace Hopper is now a member.').waitFor();
  await page.getByRole('button', { name: 'Close this note' }).click();
  await page.getByLabel('Role of Grace Hopper').selectOption('Administrator');
  await page.getByText('Grace Hopper is now an administrator.').waitFor();
  await page.getByRole('button', { name: 'Leave Ada Lovelace' }).click();
  await dialog.getByText('You will not see anything of Hill Country Homes', { exact: false }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Role of Ada Lovelace').selectOption('Member');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await page.getByLabel('Role of Ada Lovelace').inputValue(), 'administrator');
  await page.getByLabel('Role of Ada Lovelace').selectOption('Member');
  await dialog.getByRole('button', { name: 'Become a member' }).click();
  await page.getByText('You are now a member.').waitFor();
  await page.getByText('You cannot see this page').waitFor();
  assert.deepEqual(problems, []);
});

test('who has a sign-in already joins with it, and goes from account to account', async () => {
  const ada = await createPerson(service);
  const tenant = await service.createTenant('Lakeside Rentals');
  const grace = await createPerson(service, { accountId: tenant.accountId, name: 'Grace Hopper' });
  await service.fetch(tenant, '/v1/imports', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: '{"address":"1 Lake Road","beds":3,"baths":2}',
  });
  await using adas = await openWindow(chromium, service);
  await signInByForm(adas.page, ada);
  const link = await invite(adas.page, grace.email);

  await using graces = await openWindow(chromium, service);
  const { page, problems } = graces;
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
  assert.deepEqual(problems, []);
});

test('a window whose account was changed in another one does nothing there, keeps what was typed, and asks', async () => {
  const ada = await createPerson(service);
  const lakeside = await service.createTenant('Lakeside Rentals');
  await createAdministrator(service.database, lakeside.accountId, { email: ada.email }, 'administrator', OPERATOR);
  await using window = await openWindow(chromium, service);
  const { page, problems } = window;
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
  const dialog = page.getByRole('dialog', { name: 'You changed the account in another window' });
  await dialog.getByText('you work in Lakeside Rentals now').waitFor();
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
  assert.deepEqual(problems, []);
});

test('whoever signs in in another window finds nothing in this one of the person before', async () => {
  const ada = await createPerson(service);
  const grace = await createPerson(service, { accountId: ada.accountId, name: 'Grace Hopper' });
  await using window = await openWindow(chromium, service);
  const { page, problems } = window;
  await signInByForm(page, ada);
  await page.goto('/settings/team');
  await page.getByRole('row', { name: /Ada Lovelace You/ }).waitFor();
  const other = await page.context().newPage();
  await other.goto('/');
  await signOut(other);
  await signInByForm(other, grace);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await page.getByRole('row', { name: /Grace Hopper You/ }).waitFor();
  assert.equal(await page.getByText('You', { exact: true }).count(), 1);
  assert.deepEqual(problems, []);
});

test('two accounts in two browsers never see each other', async () => {
  const [first, second] = [await service.createTenant('First Homes'), await service.createTenant('Second Homes')];
  const texts = await Promise.all(
    [first, second].map(async (tenant, index) => {
      const body = JSON.stringify({ address: `${index + 1} Secret Street`, beds: 3, baths: 2 });
      const headers = { 'Content-Type': 'application/json' };
      await service.fetch(tenant, '/v1/listings', { method: 'POST', headers, body });
      const person = await createPerson(service, { accountId: tenant.accountId, name: `Person ${index + 1}` });
      await using window = await openWindow(chromium, service);
      const { page } = window;
      await signInByForm(page, person);
      let seen = '';
      for (const path of ['/', '/listings', '/settings/api', '/settings/team', '/activity']) {
        await page.goto(path);
        await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
        await page.getByRole('heading', { level: 1 }).waitFor();
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

test('two-step sign-in: turned on with an app, then asked for, and a recovery code does as well', async () => {
  const person = await createPerson(service);
  await using window = await openWindow(chromium, service);
  const { page, problems } = window;
  await signInByForm(page, person);
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
  await page.getByRole('dialog').getByLabel('Code').fill(totp(uri));
  await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('They will not be shown again.').waitFor();
  await page.getByText('It is on', { exact: true }).waitFor();
  const [recoveryCode = ''] = (await page.getByRole('dialog').locator('code').innerText()).split('\n');
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
  await page.getByText('It is off.', { exact: true }).waitFor();
  assert.deepEqual(problems, []);
});

test('signing out everywhere else ends the other browser at once, which is led to the sign-in page', async () => {
  const person = await createPerson(service);
  await using here = await openWindow(chromium, service);
  await using there = await openWindow(chromium, service);
  await signInByForm(here.page, person);
  await signInByForm(there.page, person);
  await there.page.goto('/listings?sort=beds');
  await here.page.goto('/profile');
  await here.page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await here.page.getByRole('button', { name: 'End' }).waitFor({ state: 'detached' });
  await there.page.getByRole('searchbox').fill('elm');
  await there.page.getByText('You were signed out').waitFor();
  await there.page.getByLabel('E-mail').fill(person.email);
  await there.page.getByLabel('Password').fill(PASSWORD);
  await there.page.getByRole('button', { name: 'Sign in' }).click();
  await there.page.waitForURL(/\/listings\?.*q=elm/);
  assert.deepEqual([here.problems, there.problems], [[], []]);
});

test('the account is renamed and priced in another currency; faults stand beside the fields, and the log tells of it', async () => {
  const person = await createPerson(service);
  await using window = await openWindow(chromium, service);
  const { page, problems } = window;
  await signInByForm(page, person);
  await page.goto('/settings/account');
  await page.getByLabel('Default currency').fill('dollars');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('input[aria-invalid="true"]').waitFor();
  await page.getByLabel('Default currency').fill('eur');
  await page.getByLabel('Name', { exact: true }).fill('Lakeside Homes');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The account was saved.').waitFor();
  await page.getByRole('complementary').getByText('Lakeside Homes').waitFor();
  await page.getByRole('link', { name: 'Activity' }).click();
  await page
    .getByRole('row', {
      name: /Changed the account Hill Country Homes: now called Lakeside Homes, prices in EUR.*Ada Lovelace.*@example.com.*127\.0\.0\.1/,
    })
    .waitFor();
  assert.deepEqual(problems, []);
});

test('on a small screen the pages are behind a button, and a key that expires says when', async () => {
  const person = await createPerson(service);
  await using window = await openWindow(chromium, service, { width: 390 });
  const { page, problems } = window;
  await signInByForm(page, person);
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Generate API Key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Website');
  await page.getByRole('dialog').getByLabel('Expires').selectOption('In 30 days');
  await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /Website.*expires in 30 days/ }).waitFor();
  await page.goto('/sign-in');
  await page.getByRole('heading', { name: /^Welcome/ }).waitFor();
  assert.deepEqual(problems, []);
});
