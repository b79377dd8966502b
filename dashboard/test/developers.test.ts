import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { createPerson } from '../../testkit/src/browser.ts';
import { until } from '../../testkit/src/until.ts';
import { openPage, startDashboard } from './support/window.ts';

const { service, openSignedIn } = await startDashboard({ requestLog: { days: 7, bytes: 1e9 } });

async function enter(width = 1280) {
  const tenant = await service.createTenant();
  const person = await createPerson(service, { accountId: tenant.accountId });
  const send = (path: string, method = 'GET', body?: unknown) =>
    service.fetch(tenant, path, {
      method,
      ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  return { tenant, send, window: await openSignedIn({ person, width }) };
}

test('a failed request appears while the page is open, with its error, its documentation, and curl', async () => {
  const { tenant, send, window: opened } = await enter();
  await using window = opened;
  const { page } = window;
  await page.getByRole('link', { name: 'Developers' }).click();
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  await page.getByText('No requests yet').waitFor();

  assert.equal((await send('/v1/listings?limit=0')).status, 400);
  assert.equal((await send('/v1/listings', 'POST', { address: '12 Elm Street', beds: 3, baths: 2 })).status, 201);
  await page.getByRole('row', { name: /POST.*\/v1\/listings.*201/ }).waitFor();
  await page.getByLabel('Status').selectOption('Errors');
  await page.getByRole('row', { name: /201/ }).waitFor({ state: 'detached' });
  await page.getByLabel('Code').fill('invalid_query');
  await page.waitForURL(/status=4xx%2C5xx|status=4xx,5xx/);
  await page.waitForURL(/code=invalid_query/);
  await page.reload();
  await page
    .getByRole('row', { name: /GET.*400.*invalid_query/ })
    .getByRole('link')
    .click();
  await page.getByRole('heading', { level: 1, name: 'GET /v1/listings' }).waitFor();
  await page.getByText('Must be from 1 to 1000.', { exact: false }).first().waitFor();
  const docs = page.getByRole('link', { name: 'invalid_query' });
  assert.equal(await docs.getAttribute('href'), '/docs/errors/invalid_query');
  assert.equal((await service.fetch(tenant, '/docs/errors/invalid_query')).status, 200);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByText('Copied to the clipboard.').waitFor();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(command, `curl '${service.url}/v1/listings?limit=0' \\\n  -H 'Authorization: Bearer API_KEY'`);
  assert.ok(!(await page.content()).includes(tenant.key));
});

test('similar requests are counted, and the curl command for an import sends a file', async () => {
  const { send, window: opened } = await enter();
  await using window = opened;
  const { page } = window;
  const counting = page.getByRole('row', { name: /\+ [\d,]+ more, counted but not logged/ }).first();
  // On a busy machine, requests can be so far apart that all of them are logged.
  await until('similar requests are counted but not logged', async () => {
    await Promise.all(Array.from({ length: 1_000 }, () => send('/v1/listings')));
    await openPage(page, '/developers/requests', 'Requests');
    return await counting.waitFor({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  });
  await counting.getByRole('link').click();
  await page.getByText(/[\d,]+ more with this key and status, on any path, in the same quarter/).waitFor();

  assert.equal((await send('/v1/imports', 'POST', [{ address: '2 Oak Avenue', beds: 1, baths: 1 }])).status, 200);
  await openPage(page, '/developers/requests?method=POST', 'Requests');
  await page
    .getByRole('row', { name: /imports/ })
    .getByRole('link')
    .click();
  await page.getByText('Last event').waitFor();
  await page.getByText("-H 'Content-Type: MEDIA_TYPE'").waitFor();
});

test('a write leads to its event, and events can be filtered and read as JSON', async () => {
  const { send, window: opened } = await enter();
  await using window = opened;
  const { page } = window;
  const listing = await (await send('/v1/listings', 'POST', { address: '1 Oak Avenue', beds: 1, baths: 1 })).json();
  await send(`/v1/listings/${listing.id}`, 'PATCH', { beds: 4 });
  await openPage(page, '/developers/requests?method=PATCH', 'Requests');
  await page.getByRole('row', { name: /PATCH/ }).getByRole('link').click();
  await page.getByRole('link', { name: 'Event 2' }).click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await page.getByRole('row', { name: /^2.*listing.updated.*1 Oak Avenue.*beds/ }).waitFor();

  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await page
    .getByRole('row', { name: /1 Oak Avenue/ })
    .first()
    .waitFor();
  await send(`/v1/listings/${listing.id}`, 'DELETE');
  await page.getByRole('row', { name: /^3.*listing.deleted/ }).waitFor();
  await page.getByLabel('Type').selectOption('Updated');
  await page.getByRole('row', { name: /listing.deleted/ }).waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('row', { name: /listing\./ }).count(), 1);
  await page.getByRole('button', { name: 'JSON of event 2' }).click();
  await page.getByRole('dialog').getByText(`"listingId": "${listing.id}"`, { exact: false }).waitFor();
});

test('an endpoint is tested and replayed; its secret survives a click outside the dialog, and is rolled', async () => {
  const { send, window: opened } = await enter();
  await using window = opened;
  const { page } = window;
  const received: string[] = [];
  const receiver = createServer((incoming, outgoing) => {
    received.push(String(incoming.headers['webhook-id']));
    incoming.resume().on('end', () => outgoing.writeHead(200).end('<b>thanks</b>'));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  after(() => receiver.close());
  const address = receiver.address();
  assert.ok(address !== null && typeof address === 'object');

  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill(`http://127.0.0.1:${address.port}/hook`);
  await dialog.getByRole('button', { name: 'Add' }).click();
  const secret = await dialog.getByTestId('secret').innerText();
  assert.match(secret, /^whsec_/);
  assert.equal(await dialog.getByRole('button').first().textContent(), 'Copy');
  await page.mouse.click(5, 5);
  await page.keyboard.press('Escape');
  assert.equal(await dialog.getByTestId('secret').innerText(), secret);
  await dialog.getByRole('button', { name: 'Done' }).click();

  await page.getByText('No deliveries').waitFor();
  await page.getByRole('button', { name: 'Send test' }).click();
  await dialog.getByText('Test delivered').waitFor();
  await dialog.getByText('<b>thanks</b>').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();

  await send('/v1/listings', 'POST', { address: '1 Oak Avenue', beds: 1, baths: 1 });
  await page.getByRole('row', { name: /listing.created.*Delivered.*200/ }).waitFor();
  const count = received.length;
  await page.getByRole('button', { name: 'Redeliver event 1' }).click();
  await page.getByText('Event 1 is being sent again.').waitFor();
  await page.getByRole('row', { name: /listing.created.*Delivered/ }).waitFor();
  await until('the event arrives again', () => received.length > count);

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Replay events' }).click();
  await dialog.getByLabel('After sequence number').fill('0');
  await dialog.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('Sending continues after sequence number 0.').waitFor();
  await until('the event is replayed', () => received.length > count + 1);
  assert.equal(new Set(received.slice(1)).size, 1, 'an event keeps its id');

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Roll secret' }).click();
  await dialog.getByRole('button', { name: 'Roll' }).click();
  assert.notEqual(await dialog.getByTestId('secret').innerText(), secret);
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await dialog.getByText('Copied to the clipboard.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Also used until', { exact: false }).waitFor();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('Endpoint enabled.', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No endpoints yet').waitFor();
});

test('the overview has a banner for an endpoint that was disabled because it failed', async () => {
  const { send, window: opened } = await enter();
  await using window = opened;
  const { page } = window;
  const created = await send('/v1/webhooks', 'POST', { url: 'http://127.0.0.1:1024/', enabled: false });
  const { id } = Object(await created.json());
  await service.sql('update webhooks set disabled_at = ? where id = ?', Date.now(), id);
  await send('/v1/listings', 'POST', { address: '1 Oak Avenue', beds: 1, baths: 1 });
  await openPage(page, '/', 'Overview');
  const banner = page.getByRole('alert').filter({ hasText: 'Failing webhook endpoint' });
  const disabled = banner.getByText('failed for five days and was disabled', { exact: false });
  await disabled.waitFor();
  await banner.getByRole('link', { name: 'http://127.0.0.1:1024/' }).click();
  await page.getByRole('button', { name: 'Enable' }).click();
  // The banner itself may stay: the event may already have failed again.
  await disabled.waitFor({ state: 'detached' });
});

test('members have no access to the pages for developers', async () => {
  const { accountId } = await service.createTenant();
  const person = await createPerson(service, { accountId, role: 'member' });
  await using window = await openSignedIn({ person });
  const { page } = window;
  await page.getByRole('link', { name: 'Feeds' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Developers' }).count(), 0);
  await openPage(page, '/developers/requests', 'Administrators only');
});
