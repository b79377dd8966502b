import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defer } from '../../../testkit/src/cleanup.ts';
import { openRaw, type RawConnection } from '../../../testkit/src/raw.ts';
import { readList } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';

const BODY = `{"address":"12 Elm Street","beds":3,"baths":2}${' '.repeat(10_000)}`;
/** The clock is mocked to run 20 times faster: half a minute takes 1.5 seconds. */
const SPEED = 20;
const SILENCE_MAX_MS = 30_000 / SPEED;
const STEP_MS = SILENCE_MAX_MS / 30;

const service = await startSharedService();

/** Opens a request and waits for 100 Continue. */
async function openSlow(t: TestContext, tenant: Tenant): Promise<RawConnection> {
  const { setTimeout: start } = globalThis;
  const startSooner = <A extends unknown[]>(callback: (...given: A) => void, delayMs: number, ...given: A) =>
    start(callback, delayMs / SPEED, ...given);
  t.mock.method(globalThis, 'setTimeout', startSooner);
  const connection = await openRaw(service.url);
  defer(t, () => connection[Symbol.dispose]());
  connection.send(
    `POST /v1/listings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  assert.equal((await connection.readReply()).status, 100);
  return connection;
}

/** Sends single bytes until `goesOn` is false, but at least for longer than the idle timeout. */
async function dribble(connection: RawConnection, goesOn: () => boolean): Promise<number> {
  const startTimeMs = performance.now();
  let sent = 0;
  while (goesOn() || performance.now() - startTimeMs <= SILENCE_MAX_MS) {
    connection.send(BODY.charAt(sent));
    sent += 1;
    await sleep(STEP_MS);
  }
  return sent;
}

async function countListings(tenant: Tenant): Promise<number> {
  return (await readList(await service.fetch(tenant, '/v1/listings'))).data.length;
}

async function assertTimedOut(connection: RawConnection, tenant: Tenant): Promise<void> {
  const reply = await connection.readReply();
  assert.equal(reply.status, 408);
  const { error } = JSON.parse(reply.body);
  assert.equal(error.code, 'request_timeout');
  assert.match(error.message, /send the request again/);
  assert.equal(await connection.readToEnd(), '', 'the connection is closed');
  assert.equal(await countListings(tenant), 0);
}

test('a request gets 408 after half a minute without a byte of its body', async (t) => {
  const tenant = await service.createTenant();
  const connection = await openSlow(t, tenant);
  connection.send(BODY.slice(0, 10));
  await assertTimedOut(connection, tenant);
});

test('a slow body is accepted if it never pauses for half a minute', async (t) => {
  const tenant = await service.createTenant();
  const connection = await openSlow(t, tenant);
  const sent = await dribble(connection, () => false);
  connection.send(BODY.slice(sent));
  assert.equal((await connection.readReply()).status, 201);
  assert.equal(await countListings(tenant), 1);
});

test('a request gets 408 if its body takes longer than a minute, even without a pause', async (t) => {
  const tenant = await service.createTenant();
  const connection = await openSlow(t, tenant);
  let hasResponse = false;
  connection.socket.once('data', () => {
    hasResponse = true;
  });
  await dribble(connection, () => !hasResponse);
  await assertTimedOut(connection, tenant);
});
