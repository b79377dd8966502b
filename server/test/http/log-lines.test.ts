import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { sendRaw } from '../../../testkit/src/raw.ts';
import { linesOf, readError } from '../../../testkit/src/replies.ts';
import { startTestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { startBehindProxy } from '../support/behind-proxy.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const tenant = await service.createTenant();

async function loggedAs(requestId: string): Promise<Record<string, unknown>> {
  const ask = () => service.logLines.find((line) => line.includes(`"requestId":"${requestId}"`));
  return JSON.parse(await until('the log line', ask));
}

test("the log has a request's sender, target, and outcome", async () => {
  await service.fetch(tenant, '/v1/listings?limit=5', { headers: { 'X-Request-Id': 'good-1' } });
  const { method, path, status, accountId, keyId, address, durationMs, code } = await loggedAs('good-1');
  assert.deepEqual(
    { method, path, status, address, code },
    { method: 'GET', path: '/v1/listings', status: 200, address: '127.0.0.1', code: undefined },
  );
  assert.deepEqual({ accountId, keyId }, { accountId: tenant.accountId, keyId: tenant.keyId });
  assert.equal(typeof durationMs, 'number');
});

test('the log has the user and account of a dashboard request, but not the cookie', async () => {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  await browser.send('GET', '/admin/listings', undefined, { 'X-Request-Id': 'hand-1' });
  const { accountId, userId, keyId, path } = await loggedAs('hand-1');
  assert.deepEqual([accountId, userId, keyId, path], [person.accountId, person.userId, undefined, '/admin/listings']);
  for (const value of browser.cookies.values()) assert.ok(!service.logLines.join('').includes(value));
});

test('the log has the error code of a failed request', async () => {
  await service.fetch(tenant, '/v1/listings?limt=5', { headers: { 'X-Request-Id': 'bad-1' } });
  const { status, code } = await loggedAs('bad-1');
  assert.deepEqual({ status, code }, { status: 400, code: 'unknown_parameter' });
});

test('the log omits a key in the path', async () => {
  await service.fetch(tenant, `/v1/${tenant.key}"x`, { headers: { 'X-Request-Id': 'leak-1' } });
  const { path } = await loggedAs('leak-1');
  assert.equal(path, '/v1/plk_…%22x');
  assert.ok(!service.logLines.join('').includes(tenant.key));
});

/** Percent-encodes each byte. */
const encodeBytes = (text: string) => text.replaceAll(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);

test('the log omits a key in the path however it is encoded', async () => {
  const { key } = tenant;
  const twice = encodeBytes(encodeBytes(key));
  const written = [
    `%70lk_${key.slice(4)}`,
    `plk%5f${key.slice(4)}`,
    `plk_${encodeBytes(key.slice(4, 6))}${key.slice(6)}`,
    encodeBytes(key),
    encodeBytes(key).toUpperCase().replaceAll('PLK', 'plk'),
    twice,
    encodeBytes(twice),
    `%25252570lk_${key.slice(4)}`,
    `%%37%30lk_${key.slice(4)}`,
  ];
  for (const [index, path] of written.entries()) {
    await service.fetch(tenant, `/v1/${path}/%41?key=${path}`, { headers: { 'X-Request-Id': `coded-${index}` } });
    const line = JSON.stringify(await loggedAs(`coded-${index}`));
    assert.match(line, /"path":"\/v1\/plk_…\/(A|%41)"/, path);
    for (const end of [key.slice(8), path.slice(8)]) assert.ok(!line.includes(end), line);
  }
});

test('a path that contains no key is logged as it was sent', async () => {
  await service.fetch(tenant, '/v1/listings/external/%41%2525%zz', { headers: { 'X-Request-Id': 'plain-1' } });
  assert.equal((await loggedAs('plain-1')).path, '/v1/listings/external/%41%2525%zz');
});

test('a path that is never normalized is logged as it was sent', async () => {
  for (const [index, path] of ['/v1/./listings', '/v1/listings#x', '/%2e%2e/x', '*', 'file:///x'].entries()) {
    const head = `Host: a\r\nX-Request-Id: odd-${index}`;
    await sendRaw(service.url, `GET ${path} HTTP/1.1\r\n${head}\r\n\r\n`);
    assert.equal((await loggedAs(`odd-${index}`)).path, path);
  }
});

test('the error for an unknown field suggests the nearest name', async () => {
  const body = JSON.stringify({
    adress: '12 Elm Street',
    address: '1',
    beds: 1,
    baths: 1,
    listprice: 5,
    colour: 'red',
  });
  const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } };
  const { details } = await readError(await service.fetch(tenant, '/v1/listings', init), 422, 'validation_failed');
  assert.deepEqual(linesOf(details, 'message'), [
    'There is no such field; did you mean address?',
    'There is no such field; did you mean listPrice?',
    'There is no such field; put your own values into metadata.',
  ]);
});

test('the log has the bytes, the user agent, and the trace of a request', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const agent = `feed "v2" ${tenant.key} ${'x'.repeat(300)}`;
  const headers = { 'X-Request-Id': 'traced-1', 'User-Agent': agent, traceparent };
  const response = await service.fetch(tenant, '/v1/me', { headers });
  const { length } = Buffer.from(await response.arrayBuffer());
  const { bytes, userAgent, traceId, parentSpanId, worker, waitMs } = await loggedAs('traced-1');
  assert.ok(Number(bytes) > length && Number(bytes) < length + 2_000, `${bytes}`);
  assert.equal(userAgent, `feed "v2" plk_… ${'x'.repeat(200 - 10 - tenant.key.length - 1)}`);
  assert.deepEqual([traceId, parentSpanId], traceparent.split('-').slice(1, 3));
  assert.deepEqual([worker, waitMs], [undefined, undefined]);
  for (const invalid of ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', `00-${'0'.repeat(32)}-1-01`, 'x']) {
    const id = `untraced-${invalid.slice(0, 4)}`;
    await service.fetch(tenant, '/v1/me', { headers: { 'X-Request-Id': id, traceparent: invalid } });
    assert.equal((await loggedAs(id)).traceId, undefined);
  }
});

test('the log says where the time of a slow request went', async () => {
  const headers = { 'X-Request-Id': 'slow-1' };
  await service.fetch(tenant, '/v1/events?wait=2', { headers });
  const { durationMs, waitMs, handleMs, sendMs } = await loggedAs('slow-1');
  const sum = Number(waitMs) + Number(handleMs) + Number(sendMs);
  assert.ok(Math.abs(sum - Number(durationMs)) < 1, `${sum} of ${durationMs}`);
  assert.ok(Number(handleMs) > 1_900, `${handleMs}`);
});

test('a trusted proxy that sends no X-Forwarded-For is warned about once', async () => {
  await using behind = await startBehindProxy();
  const warnings = () => behind.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
  const proxied = { headers: { 'X-Forwarded-For': '192.0.2.7' } };
  await fetch(`${behind.url}/livez`);
  await fetch(`${behind.url}/v1/me`, proxied);
  assert.deepEqual(warnings(), []);
  await fetch(`${behind.url}/v1/me`);
  await fetch(`${behind.url}/v1/me`);
  const [warning, ...others] = warnings();
  assert.match(warning.msg, /X-Forwarded-For/);
  assert.equal(warning.address, '127.0.0.1');
  assert.deepEqual(others, []);
});
