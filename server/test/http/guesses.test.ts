import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openRaw, type RawConnection, type RawReply, sendRaw } from '../../../testkit/src/raw.ts';
import { KEY_REJECTED } from '../../../testkit/src/replies.ts';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';
import { generateSecret } from '../../src/model/api-keys.ts';
import { startBehindProxy } from '../support/behind-proxy.ts';

/** Rejected keys per address and minute before connections are closed. */
const BUDGET = 100;

function requestText(authorization: string, forwardedFor?: string): string {
  const forwarded = forwardedFor === undefined ? '' : `X-Forwarded-For: ${forwardedFor}\r\n`;
  return `GET /v1/me HTTP/1.1\r\nHost: localhost\r\n${authorization}${forwarded}\r\n`;
}

/** A request with a well-formed key that does not exist. */
function guess(forwardedFor?: string): string {
  return requestText(`Authorization: Bearer ${generateSecret()}\r\n`, forwardedFor);
}

function assertUnauthorized({ status, headers, body }: RawReply): void {
  assert.deepEqual([status, headers['content-type'], body], [401, 'application/json', KEY_REJECTED]);
  assert.match(headers['www-authenticate'] ?? '', /error="invalid_token"/);
  assert.equal(headers['retry-after'] ?? headers.ratelimit, undefined);
}

async function spendBudget(connection: RawConnection, makeGuess: () => string = guess): Promise<void> {
  for (let turn = 0; turn < BUDGET; turn += 1) {
    connection.send(makeGuess());
    const reply = await connection.readReply();
    assertUnauthorized(reply);
    assert.equal(reply.headers.connection, 'keep-alive');
  }
}

async function isClosedAfter(service: TestService, text: string): Promise<boolean> {
  const reply = await sendRaw(service.url, text);
  assertUnauthorized(reply);
  return reply.headers.connection === 'close';
}

test('guessed keys get the usual 401, and above the budget the connection is closed', async () => {
  await using service = await startTestService();
  using guesser = await openRaw(service.url);
  await spendBudget(guesser);
  guesser.send(guess());
  const last = await guesser.readReply();
  assertUnauthorized(last);
  assert.equal(last.headers.connection, 'close');
  assert.equal(await guesser.readToEnd(), '');
  for (let turn = 0; turn < 10; turn += 1) assert.ok(await isClosedAfter(service, guess()));
});

test("valid keys from a guesser's address keep working, on connections that stay open", async () => {
  await using service = await startTestService({ rateLimit: { points: 1_000, seconds: 3600 } });
  const { key } = await service.createTenant();
  const good = requestText(`Authorization: Bearer ${key}\r\n`);
  using before = await openRaw(service.url);
  using guesser = await openRaw(service.url);
  await spendBudget(guesser);
  assert.ok(await isClosedAfter(service, guess()));
  using afterwards = await openRaw(service.url);
  for (const connection of [before, afterwards, before, afterwards]) {
    connection.send(good);
    const { status, headers } = await connection.readReply();
    assert.deepEqual([status, headers.connection], [200, 'keep-alive']);
  }
});

test('a valid key pipelined after a guess gets its response', async () => {
  await using service = await startTestService();
  const { key } = await service.createTenant();
  using guesser = await openRaw(service.url);
  await spendBudget(guesser);
  guesser.send(guess() + requestText(`Authorization: Bearer ${key}\r\n`) + guess());
  assertUnauthorized(await guesser.readReply());
  assert.equal((await guesser.readReply()).status, 200);
  assertUnauthorized(await guesser.readReply());
  assert.equal(await guesser.readToEnd(), '');
});

test('a request without a key does not count as a guess', async () => {
  await using service = await startTestService();
  using connection = await openRaw(service.url);
  for (let turn = 0; turn <= BUDGET; turn += 1) {
    connection.send(requestText(''));
    const { status, headers } = await connection.readReply();
    assert.deepEqual([status, headers.connection], [401, 'keep-alive']);
  }
});

test('malformed keys count as guesses', async () => {
  await using service = await startTestService();
  using guesser = await openRaw(service.url);
  const lines = ['Authorization: Bearer x\r\n', 'Authorization: Basic x\r\n', 'Authorization: \r\n'];
  let turn = 0;
  await spendBudget(guesser, () => {
    turn += 1;
    return requestText(lines[turn % lines.length] ?? '');
  });
  assert.ok(await isClosedAfter(service, guess()));
});

test('a guessing client that sends its whole body before it reads gets the whole 401', async () => {
  await using service = await startTestService();
  using guesser = await openRaw(service.url);
  await spendBudget(guesser);
  const head = requestText(`Authorization: Bearer ${generateSecret()}\r\nTransfer-Encoding: chunked\r\n`);
  guesser.send(head.replace('GET', 'POST'));
  await guesser.pauseAtFirstByte();
  // On a closed connection, sending fails at the second chunk at the latest.
  for (const chunk of ['1\r\na\r\n', '1\r\nb\r\n', '1\r\nc\r\n', '0\r\n\r\n']) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    guesser.socket.write(chunk, resolve);
    assert.equal((await promise) ?? null, null);
    await nextTurn();
  }
  guesser.socket.resume();
  const reply = await guesser.readReply();
  assertUnauthorized(reply);
  assert.equal(reply.headers.connection, 'close');
  assert.equal(await guesser.readToEnd(), '');
});

describe('X-Forwarded-For is trusted only from a trusted proxy', () => {
  test('so that each client address has its own budget', async () => {
    await using service = await startBehindProxy();
    using proxy = await openRaw(service.url);
    await spendBudget(proxy, () => guess('203.0.113.9, 198.51.100.1'));
    assert.ok(await isClosedAfter(service, guess('198.51.100.1')));
    const isClosed = await isClosedAfter(service, guess('198.51.100.2, 198.51.100.1'));
    assert.ok(isClosed, 'an entry from the client is not trusted');
    assert.ok(!(await isClosedAfter(service, guess('198.51.100.2'))));
    assert.ok(!(await isClosedAfter(service, guess('198.51.100.1, 198.51.100.2'))));
    assert.ok(!(await isClosedAfter(service, guess())));
  });

  test('otherwise, the header has no effect', async () => {
    await using service = await startTestService();
    using guesser = await openRaw(service.url);
    let turn = 0;
    await spendBudget(guesser, () => {
      turn += 1;
      return guess(`198.51.100.${turn}`);
    });
    assert.ok(await isClosedAfter(service, guess('203.0.113.1')));
  });

  test('an address with a port counts as the address, and anything else as the proxy', async () => {
    await using service = await startBehindProxy();
    using proxy = await openRaw(service.url);
    let port = 0;
    await spendBudget(proxy, () => {
      port += 1;
      return guess(`198.51.100.1:${port}`);
    });
    assert.ok(await isClosedAfter(service, guess('198.51.100.1')));
    using other = await openRaw(service.url);
    await spendBudget(other, () => guess('[2001:db8::1]:1'));
    assert.ok(await isClosedAfter(service, guess('2001:db8::2')));
    for (const nonsense of ['198.51.100.1:', '198.51.100.1:x', '198.51.100.1:1:1', '[2001:db8::1', ':1', '[]:1'])
      assert.ok(!(await isClosedAfter(service, guess(nonsense))), nonsense);
  });

  test('IPv6 addresses share the budget of their /64', async () => {
    await using service = await startBehindProxy();
    using proxy = await openRaw(service.url);
    let turn = 0;
    await spendBudget(proxy, () => {
      turn += 1;
      return guess(`2001:db8:0:7::${turn}`);
    });
    for (const address of ['2001:db8:0:7:1:2:3:4', '2001:db8::7:1:2:3:4', '2001:db8:0:7::']) {
      assert.ok(await isClosedAfter(service, guess(address)), address);
    }
    for (const address of ['2001:db8:0:8::1', '2001:db8:1:7::1', '2001:db8:7::1', '::7', '7::']) {
      assert.ok(!(await isClosedAfter(service, guess(address))), address);
    }
  });
});
