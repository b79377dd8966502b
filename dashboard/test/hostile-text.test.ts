import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccount } from '../../server/src/domain/accounts/accounts.ts';
import { createPerson, signIn } from '../../testkit/src/browser.ts';
import { assertFits, openPage, startDashboard } from './support/window.ts';

const { service, openSignedIn } = await startDashboard();

const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>';
const REVERSED = 'abc \u202Egnihtyreve\u202Dxyz';
const EMOJI = '😀'.repeat(255);
/** Hostile strings for a field of at most `lengthMax` characters. */
const hostile = (lengthMax: number) => [MARKUP, REVERSED, EMOJI].map((text) => [...text].slice(0, lengthMax).join(''));

test('hostile text in any field is shown as text and breaks no page', async () => {
  const account = await createAccount(service.database, `${MARKUP}${REVERSED}`.slice(0, 80));
  const person = await createPerson(service, { accountId: account.id, name: `${MARKUP} ${REVERSED}` });
  const api = await signIn(service, person);
  const ids: string[] = [];
  for (const [index, text] of hostile(255).entries()) {
    const cut = (lengthMax: number) => hostile(lengthMax)[index];
    const listing = {
      address: text,
      beds: 3,
      baths: 2,
      externalId: text,
      unitNumber: cut(25),
      city: cut(50),
      stateOrProvince: cut(50),
      postalCode: cut(10),
      description: text,
      photos: [{ url: 'https://example.com/1.jpg', caption: cut(200) }],
      metadata: { [cut(40) ?? '']: text },
    };
    ids.push((await api.ask('POST', '/admin/listings', listing, 201)).id);
    await api.ask('POST', '/admin/api-keys', { name: cut(60) }, 201);
  }

  for (const width of [1280, 360]) {
    await using window = await openSignedIn({ width, person });
    const { page, problems } = window;
    page.on('dialog', (dialog) => {
      problems.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    for (const path of ['/', '/listings', ...ids.map((id) => `/listings/${id}`), '/settings/api', '/settings/team']) {
      await openPage(page, path);
      await assertFits(page);
      assert.equal(await page.locator('img[onerror], main script').count(), 0, path);
    }
    await page.goto('/listings');
    await page.getByRole('link', { name: MARKUP }).waitFor();
    await page.getByText(EMOJI).first().waitFor();
    await page.goto('/settings/api');
    await page
      .getByRole('row', { name: EMOJI.slice(0, 60) })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.goto('/activity');
    await page.getByText('Created the listing').first().waitFor();
    await assertFits(page);
  }
});
