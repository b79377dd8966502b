import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { faultsOf, readError, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { MARKS_MAX } from '../../src/lib/nfc.ts';

const service = await startSharedService();

/** Alternating acute and grave accents, which normalization sorts in quadratic time. */
const marks = (count: number) => `a${'\u0301\u0316'.repeat(count / 2)}`;
const LONG = marks(20_000);
/** Short enough that a body of 16 KiB can contain it three times. */
const SHORT = marks(1_500);

test('no request makes the service sort a long run of combining marks', async (t) => {
  const tenant = await service.createTenant();
  const ada = await signIn(service, await createPerson(service));
  const { normalize } = String.prototype;
  let longest = 0;
  t.mock.method(String.prototype, 'normalize', function (this: string, form?: string) {
    for (const [run] of this.matchAll(/\p{M}+/gu)) longest = Math.max(longest, run.length);
    return normalize.call(this, form);
  });
  const send = (method: string, path: string, body: unknown, type = 'application/json') =>
    service.fetch(tenant, path, {
      method,
      headers: { 'Content-Type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const anonymous = new Browser(service);
  const signUp = { token: 'x', name: SHORT, email: SHORT, password: SHORT };
  const texts = { address: LONG, city: LONG, description: LONG, externalId: LONG, metadata: { [LONG]: LONG } };
  const query = encodeURIComponent(marks(1_000));
  for (const [response, status] of [
    [anonymous.send('POST', '/admin/auth/sign-in/email', { email: SHORT, password: PASSWORD }), 401],
    [anonymous.send('POST', '/admin/auth/sign-in/email', { email: 'ada@example.com', password: SHORT }), 422],
    [anonymous.send('POST', '/admin/setup', { ...signUp, accountName: SHORT }), 422],
    [anonymous.send('POST', '/admin/invitations/accept', signUp), 422],
    [ada.send('POST', '/admin/invitations', { email: SHORT, role: 'member' }), 422],
    [ada.send('POST', '/admin/auth/update-user', { name: SHORT }), 422],
    [ada.send('POST', '/admin/api-keys', { name: SHORT }), 422],
    [ada.send('PATCH', '/admin/account', { name: SHORT }), 422],
    [send('POST', '/v1/listings', { ...MINIMAL, ...texts, photos: [{ url: LONG, caption: LONG }] }), 422],
    [send('POST', '/v1/imports', `${JSON.stringify({ ...MINIMAL, ...texts })}\n`, 'application/x-ndjson'), 200],
    [send('POST', '/v1/imports', `address,beds,baths,city\n${LONG},1,1,${LONG}\n`, 'text/csv'), 200],
    [service.fetch(tenant, `/v1/listings?q=${query}`), 400],
    [service.fetch(tenant, `/v1/listings?city=${query}`), 400],
    [service.fetch(tenant, `/v1/listings/external/${query}`), 404],
  ] as const) {
    const received = await response;
    assert.equal(received.status, status, `${received.url} ${(await received.text()).slice(0, 300)}`);
  }
  assert.ok(longest <= MARKS_MAX, `${longest} marks were sorted`);
});

test('a string may stack combining marks up to a limit, and more is an invalid format', async () => {
  const tenant = await service.createTenant();
  const create = (description: string) =>
    post(service, tenant, { ...MINIMAL, description, metadata: { note: description } });
  const stacked = `z${'\u0316\u0317'.repeat(MARKS_MAX / 2)}, and more`;
  const { description } = await readListing(await create(stacked), 201);
  assert.equal(description, stacked);
  const error = await readError(await create(marks(MARKS_MAX + 2)), 422, 'validation_failed');
  assert.deepEqual(faultsOf(error), ['description: invalid_format', 'metadata.note: invalid_format']);
});
