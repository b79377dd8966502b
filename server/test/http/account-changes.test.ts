import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Browser, createPerson, signIn } from '../../../testkit/src/browser.ts';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { linesOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { OPERATOR } from '../../src/domain/access/audit.ts';
import { deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { createAdministrator } from '../../src/domain/accounts/administrators.ts';

const service = await startSharedService();

/** A user of two accounts who works in the second. */
async function enter() {
  const ada = await createPerson(service);
  const boss = await createPerson(service, { name: 'Boss' });
  await createAdministrator(service.database, boss.accountId, { email: ada.email }, 'member', OPERATOR);
  const [first, second] = [ada.accountId, boss.accountId];
  const browser = await signIn(service, ada);
  await choose(browser, second);
  const bosses = await signIn(service, boss);
  const remove = () => bosses.ask('DELETE', `/admin/members/${ada.userId}`, undefined, 204);
  return { browser, first, second, bosses, remove, boss };
}

function choose(browser: Browser, accountId: string) {
  return browser.ask('PUT', '/admin/session/account', { accountId });
}

/** Creates a listing from a page that shows the given account. */
function createListing(browser: Browser, shown?: string): Promise<Response> {
  return browser.send('POST', '/admin/listings', MINIMAL, shown === undefined ? {} : { 'X-Account-Id': shown });
}

async function listingsOf(browser: Browser): Promise<number> {
  return (await browser.ask('GET', '/admin/listings')).data.length;
}

describe('a page that shows an account', () => {
  test('can change that account', async () => {
    const { browser, second, bosses } = await enter();
    assert.equal((await createListing(browser, second)).status, 201);
    assert.equal(await listingsOf(bosses), 1);
  });

  test('gets 409 for reads and changes after another window chose another account', async () => {
    const { browser, first, second, bosses } = await enter();
    await choose(browser, first);
    const { message } = await readError(await createListing(browser, second), 409, 'account_changed');
    assert.match(message, /Reload the page/);
    const reading = await browser.send('GET', '/admin/listings', undefined, { 'X-Account-Id': second });
    await readError(reading, 409, 'account_changed');
    assert.deepEqual([await listingsOf(browser), await listingsOf(bosses)], [0, 0]);
    assert.equal((await createListing(browser, first)).status, 201);
    assert.deepEqual([await listingsOf(browser), await listingsOf(bosses)], [1, 0]);
  });

  test('can read the session and choose an account, whatever it shows', async () => {
    const { browser, first, second } = await enter();
    const shown = { 'X-Account-Id': 'acc_other' };
    assert.equal((await browser.send('GET', '/admin/session', undefined, shown)).status, 200);
    const chosen = await browser.send('PUT', '/admin/session/account', { accountId: first }, shown);
    assert.equal(JSON.parse(await chosen.text()).account.id, first);
    assert.notEqual(first, second);
  });
});

describe('a user removed from their current account', () => {
  test('has no current account until they choose another', async () => {
    const { browser, first, second, remove } = await enter();
    await remove();
    for (const shown of [undefined, first, second]) {
      await readError(await createListing(browser, shown), 409, 'account_changed');
    }
    await readError(await browser.send('GET', '/admin/listings'), 409, 'account_changed');
    const session = await browser.ask('GET', '/admin/session');
    assert.equal(session.account, null);
    assert.deepEqual(linesOf(session.accounts, 'id'), [first]);
    assert.equal((await choose(browser, first)).account.id, first);
    assert.equal(await listingsOf(browser), 0);
    assert.equal((await createListing(browser, first)).status, 201);
  });

  test('has no current account if it was deleted', async () => {
    const { browser, second } = await enter();
    await deleteAccount(service.database, second);
    await readError(await createListing(browser), 409, 'account_changed');
    assert.equal((await browser.ask('GET', '/admin/session')).account, null);
  });

  test('is not moved to another account if they never chose one', async () => {
    const ada = await createPerson(service);
    const boss = await createPerson(service);
    const other = await createPerson(service);
    await createAdministrator(service.database, other.accountId, { email: ada.email }, 'member', OPERATOR);
    await createAdministrator(service.database, boss.accountId, { email: ada.email }, 'administrator', OPERATOR);
    const browser = await signIn(service, ada);
    const { account } = await browser.ask('GET', '/admin/session');
    assert.equal(account.id, ada.accountId);
    await createPerson(service, { accountId: ada.accountId });
    await browser.ask('DELETE', `/admin/members/${ada.userId}`, undefined, 204);
    await readError(await createListing(browser), 409, 'account_changed');
    assert.equal((await browser.ask('GET', '/admin/session')).accounts.length, 2);
  });
});
