import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { only } from '../../../testkit/src/database.ts';
import { fromPage, openSocket, requestText } from '../../../testkit/src/raw-http.ts';
import { until } from '../../../testkit/src/until.ts';
import { ask, openToEach, serveByTwo, workersOf } from '../../../testkit/src/workers.ts';
import { generateSecret } from '../../src/model/api-keys.ts';

const ADMINISTRATOR = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'correct horse battery staple' };
/** Rejected keys per address and minute before the limit. */
const GUESSES = 100;
/** Wrong passwords per email address and IP address in 15 minutes before the limit. */
const ATTEMPTS = 10;

/** `count` sockets, each in turn. */
function turnsOf(sockets: Socket[], count: number): Socket[] {
  return Array.from({ length: count }, () => sockets)
    .flat()
    .slice(0, count);
}

test('the workers count the requests of a key together', async (t) => {
  const { tenant, service } = await serveByTwo(t, { RATE_LIMIT: '6/1h' });
  const sockets = await openToEach(t, service);
  const me = requestText('GET', '/v1/me', tenant.key);
  const left: unknown[] = [];
  for (const socket of turnsOf(sockets, 6))
    left.push(/^RateLimit: "default";r=(\d+);/m.exec((await ask(socket, me)).head)?.[1]);
  assert.deepEqual(left, ['5', '4', '3', '2', '1', '0']);
  for (const socket of sockets) assert.equal((await ask(socket, me)).status, 429);
});

test('the workers count guessed keys together', async (t) => {
  const { service } = await serveByTwo(t, { RATE_LIMIT: 'off' });
  const sockets = await openToEach(t, service);
  const guess = () => requestText('GET', '/v1/me', generateSecret());
  for (const socket of turnsOf(sockets, GUESSES)) {
    const { status, closes } = await ask(socket, guess());
    assert.deepEqual([status, closes], [401, false]);
  }
  for (const socket of sockets) assert.deepEqual((await ask(socket, guess())).closes, true);
});

test('the workers count wrong passwords together', async (t) => {
  const { service } = await serveByTwo(t, ADMINISTRATOR);
  const sockets = await openToEach(t, service);
  const given = JSON.stringify({ email: ADMINISTRATOR.ADMIN_EMAIL, password: 'wrong password' });
  const attempt = fromPage(requestText('POST', '/admin/auth/sign-in/email', '', given));
  for (const socket of turnsOf(sockets, ATTEMPTS)) assert.equal((await ask(socket, attempt)).status, 401);
  for (const socket of sockets) assert.equal((await ask(socket, attempt)).status, 429);
});

/** A request whose body does not end yet. */
function beginUpload(path: string, key: string, line: string): string {
  const headers = [`Host: x`, `Authorization: Bearer ${key}`, 'Content-Type: application/x-ndjson'];
  const chunk = `${line.length.toString(16)}\r\n${line}\r\n`;
  return [`POST /v1${path} HTTP/1.1`, ...headers, 'Transfer-Encoding: chunked', '', chunk].join('\r\n');
}

const ROW = '{"address":"12 Elm Street","beds":3,"baths":2}\n';
const END = '0\r\n\r\n';

test('the workers count the imports of an account together, without those of a worker that has ended', async (t) => {
  const { tenant, service } = await serveByTwo(t, { RATE_LIMIT: 'off' });
  const list = requestText('GET', '/v1/listings', tenant.key);
  const upload = beginUpload('/imports', tenant.key, ROW);
  const uploads = [...(await openToEach(t, service)), ...(await openToEach(t, service))];
  for (const socket of uploads) socket.write(upload);
  const sockets = await openToEach(t, service);
  const [one] = sockets;
  assert.ok(one !== undefined);
  const isEachRead = async () => JSON.parse((await ask(one, list)).body).data.length === uploads.length;
  await until('each import has saved its row', isEachRead);
  for (const socket of sockets) {
    const { status, body } = await ask(socket, upload);
    assert.deepEqual([status, JSON.parse(body).error.code], [429, 'too_many_imports']);
  }

  const [killed] = await workersOf(service);
  process.kill(Number(killed), 'SIGKILL');
  await until('its imports no longer count', async () => {
    const socket = await openSocket(service.url);
    socket.on('error', () => {});
    const reply = await ask(socket, upload + END).catch(() => undefined);
    socket.destroy();
    return reply?.status === 200;
  });
});

test(
  'requests succeed while the process that counts them hangs',
  only('sqlite', 'on PostgreSQL the database counts'),
  async (t) => {
    const { tenant, service } = await serveByTwo(t, { RATE_LIMIT: '6/1h' });
    const sockets = await openToEach(t, service);
    const me = requestText('GET', '/v1/me', tenant.key);
    for (const socket of sockets) assert.equal((await ask(socket, me)).status, 200);
    service.child.kill('SIGSTOP');
    // Until the first process continues, each worker counts for itself.
    for (const socket of sockets) {
      assert.match((await ask(socket, me)).head, /^RateLimit: "default";r=5;/m);
      const upload = beginUpload('/imports?atomic=true', tenant.key, ROW);
      assert.equal((await ask(socket, upload + END)).status, 200);
    }
    service.child.kill('SIGCONT');
    assert.equal(await service.end(), 0);
  },
);
