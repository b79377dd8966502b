import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, createPerson, signIn } from '../../../testkit/src/browser.ts';
import { readError } from '../../../testkit/src/replies.ts';
import type { TestService } from '../../../testkit/src/service.ts';
import { startBehindProxy } from '../support/behind-proxy.ts';

const WRONG_MAX = 50;
const HERE = '203.0.113.1';
const ELSEWHERE = '203.0.113.2';

function send(service: TestService, path: string, body: string, address = HERE): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address };
  return new Browser(service).fetch(`/admin/${path}`, { method: 'POST', body, headers });
}

const WRONG: [string, number][] = [
  ['invitations/preview', 404],
  ['invitations/accept', 404],
  ['setup/preview', 403],
  ['setup', 403],
];
const PERSON = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery staple', accountName: 'One' };

for (const [path, status] of WRONG) {
  test(`wrong links for ${path} are limited per IP address, and above the limit bodies are not read`, async () => {
    await using service = await startBehindProxy();
    const more = path === 'setup' ? PERSON : {};
    for (let count = 0; count < WRONG_MAX; count += 1) {
      const wrong = await send(service, path, JSON.stringify({ token: `wrong ${count}`, ...more }));
      assert.equal(wrong.status, status, await wrong.text());
    }
    const rejected = await send(service, path, 'not JSON');
    assert.ok(Number(rejected.headers.get('retry-after')) > 0);
    await readError(rejected, 429, 'rate_limited');
    const elsewhere = await send(service, path, JSON.stringify({ token: 'wrong', ...more }), ELSEWHERE);
    assert.equal(elsewhere.status, status, await elsewhere.text());
  });
}

test('codes without a sign-in in progress are limited per IP address', async () => {
  await using service = await startBehindProxy();
  const path = 'auth/two-factor/verify-totp';
  for (let count = 0; count < WRONG_MAX; count += 1) {
    await readError(await send(service, path, '{"code":"123456"}'), 401, 'unauthorized');
  }
  await readError(await send(service, path, 'not JSON'), 429, 'rate_limited');
  await readError(await send(service, path, '{"code":"123456"}', ELSEWHERE), 401, 'unauthorized');
});

test('valid links are not counted', async () => {
  await using service = await startBehindProxy();
  const ada = await signIn(service, await createPerson(service));
  const { url } = await ada.ask('POST', '/admin/invitations', { email: 'grace@example.com', role: 'member' }, 201);
  const body = JSON.stringify({ token: url.split('#token=')[1] });
  for (let count = 0; count <= WRONG_MAX; count += 1) {
    const right = await send(service, 'invitations/preview', body);
    assert.equal(right.status, 200, await right.text());
  }
});

test('starts of a sign-in with a passkey are limited per IP address', async () => {
  await using service = await startBehindProxy();
  const path = 'auth/passkey/begin-sign-in';
  for (let count = 0; count < 100; count += 1) assert.equal((await send(service, path, '')).status, 200);
  await readError(await send(service, path, ''), 429, 'rate_limited');
  assert.equal((await send(service, path, '', ELSEWHERE)).status, 200);
});
