import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { defer } from '../../testkit/src/cleanup.ts';
import {
  signWebhook,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from '../src/webhooks.ts';

const SECRET = createSecret();
const OLD_SECRET = createSecret();
const ID = 'msg_1';
const NOW = new Date('2026-12-01T12:00:00Z');
const MESSAGE = {
  type: 'listing.deleted',
  timestamp: '2026-12-01T12:00:00.000Z',
  data: { sequence: 3, type: 'listing.deleted', listingId: 'lst_1', createdAt: '2026-12-01T12:00:00.000Z' },
  accountId: 'acc_1',
  epoch: '7k2m9q4x',
};
const BODY = JSON.stringify(MESSAGE);
const HEADERS = await signWebhook(BODY, SECRET, { id: ID, now: NOW });
const SIGNATURE = HEADERS['webhook-signature'];

function createSecret(bytes = 32): string {
  return `whsec_${randomBytes(bytes).toString('base64')}`;
}

function verify(body: string | Uint8Array | ArrayBuffer, headers: WebhookHeaders, secrets: Secrets = SECRET) {
  return verifyWebhook(body, headers, secrets, { now: NOW });
}
type Secrets = Parameters<typeof verifyWebhook>[2];

async function assertRejected(
  reason: WebhookVerificationReason,
  verifying: Promise<unknown>,
  words: RegExp = /^[A-Z].*\.$/s,
): Promise<void> {
  await assert.rejects(verifying, (error) => {
    assert.ok(error instanceof WebhookVerificationError);
    assert.deepEqual([error.name, error.reason], ['WebhookVerificationError', reason]);
    assert.match(error.message, words);
    for (const secret of [SECRET, OLD_SECRET]) assert.ok(!inspect(error).includes(secret.slice(6)), error.message);
    return true;
  });
}

describe('verifyWebhook accepts', () => {
  const expected = { ...MESSAGE, id: ID };

  test('a body as text or as bytes', async () => {
    const bytes = new TextEncoder().encode(BODY);
    const padded = new Uint8Array(bytes.length + 8);
    padded.set(bytes, 4);
    const bodies = [BODY, bytes, bytes.buffer, Buffer.from(BODY), padded.subarray(4, -4)];
    for (const body of bodies) assert.deepEqual(await verify(body, HEADERS), expected);
  });

  test('headers as Headers, as an object with names in any case, and with lists of one value', async () => {
    const capitalized = Object.entries(HEADERS).map(([name, value]) => [name.toUpperCase(), value]);
    const lists = Object.entries(HEADERS).map(([name, value]) => [name, [value]]);
    for (const headers of [new Headers(HEADERS), Object.fromEntries(capitalized), Object.fromEntries(lists)]) {
      assert.deepEqual(await verify(BODY, headers), expected);
    }
  });

  test("Node.js's request headers", async (t) => {
    const server = createServer(async (incoming, response) => {
      const event = await verify(await buffer(incoming), incoming.headers).catch((error) => error);
      response.end(event.id);
    }).listen(0, '127.0.0.1');
    defer(t, () => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: BODY, headers: HEADERS });
    assert.equal(await response.text(), ID);
  });

  test('the new and the old secret during a rotation, on either side', async () => {
    const old = (await signWebhook(BODY, OLD_SECRET, { id: ID, now: NOW }))['webhook-signature'];
    const both = { ...HEADERS, 'webhook-signature': `${SIGNATURE} ${old}` };
    for (const secret of [SECRET, OLD_SECRET]) assert.deepEqual(await verify(BODY, both, secret), expected);
    const secrets = [OLD_SECRET, SECRET];
    for (const signature of [SIGNATURE, old]) {
      assert.deepEqual(await verify(BODY, { ...HEADERS, 'webhook-signature': signature }, secrets), expected);
    }
  });

  test('unset secrets beside one that is set, and a secret from a file with a line break', async () => {
    for (const secrets of [[undefined, SECRET], [SECRET, ''], `${SECRET}\n`]) {
      assert.deepEqual(await verify(BODY, HEADERS, secrets), expected);
    }
  });

  test('a signature of another version beside v1', async () => {
    const headers = { ...HEADERS, 'webhook-signature': `v1a,${'A'.repeat(86)}== ${SIGNATURE}` };
    assert.deepEqual(await verify(BODY, headers), expected);
  });

  test('a clock that differs by up to five minutes, either way, or by the given tolerance', async () => {
    for (const seconds of [-300, 300]) {
      const now = new Date(NOW.getTime() + seconds * 1000);
      assert.deepEqual(await verifyWebhook(BODY, HEADERS, SECRET, { now }), expected);
    }
    const now = new Date(NOW.getTime() + 3_600_000);
    assert.deepEqual(await verifyWebhook(BODY, HEADERS, SECRET, { now, toleranceSeconds: 3_600 }), expected);
  });

  test('a timestamp near the current time if no time is given', async () => {
    assert.deepEqual(await verifyWebhook(BODY, await signWebhook(BODY, SECRET, { id: ID }), SECRET), expected);
    await assertRejected('timestamp_too_new', verifyWebhook(BODY, await signedLater(86_400), SECRET));
  });

  test('types that are not known yet', async () => {
    const body = '{"type":"listing.archived"}';
    const headers = await signWebhook(body, SECRET, { id: ID, now: NOW });
    assert.equal((await verify(body, headers)).type, 'listing.archived');
  });
});

/** Headers with a valid signature from this many seconds in the future. */
function signedLater(seconds: number) {
  return signWebhook(BODY, SECRET, { id: ID, now: new Date(Date.now() + seconds * 1000) });
}

describe('verifyWebhook rejects', () => {
  test('every change of one byte of the body', async () => {
    const bytes = Buffer.from(BODY);
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      await assertRejected('wrong_signature', verify(changed, HEADERS));
    }
    for (const body of ['', `${BODY} `, BODY.slice(0, -1), JSON.stringify(MESSAGE, null, 2)]) {
      await assertRejected('wrong_signature', verify(body, HEADERS), /exactly as received/);
    }
  });

  test('another id, timestamp, or signature', async () => {
    const changes: Partial<typeof HEADERS>[] = [
      { 'webhook-id': 'msg_2' },
      { 'webhook-timestamp': String(NOW.getTime() / 1000 + 1) },
      { 'webhook-timestamp': `0${HEADERS['webhook-timestamp']}` },
      { 'webhook-signature': `v1,${'A'.repeat(43)}=` },
      { 'webhook-signature': SIGNATURE.slice(0, -1) },
      { 'webhook-signature': `${SIGNATURE}=` },
    ];
    for (const change of changes) await assertRejected('wrong_signature', verify(BODY, { ...HEADERS, ...change }));
    for (const index of SIGNATURE.slice(3, -1).split('').keys()) {
      const at = index + 3;
      const letter = SIGNATURE[at] === 'A' ? 'B' : 'A';
      const changed = `${SIGNATURE.slice(0, at)}${letter}${SIGNATURE.slice(at + 1)}`;
      await assertRejected('wrong_signature', verify(BODY, { ...HEADERS, 'webhook-signature': changed }));
    }
  });

  test('a part of the id moved into the timestamp or the body', async () => {
    const headers = await signWebhook(`5.${BODY}`, SECRET, { id: ID, now: NOW });
    const timestamp = `${headers['webhook-timestamp']}.5`;
    await assertRejected('malformed_header', verify(BODY, { ...headers, 'webhook-timestamp': timestamp }));
    await assertRejected('malformed_header', verify(BODY, { ...headers, 'webhook-id': `${ID}.5` }));
  });

  test('another secret', async () => {
    await assertRejected('wrong_signature', verify(BODY, HEADERS, OLD_SECRET), /secret belongs to this endpoint/);
    await assertRejected('wrong_signature', verify(BODY, HEADERS, [OLD_SECRET, createSecret()]));
  });

  test('a request that is too old or from the future', async () => {
    const old = verifyWebhook(BODY, HEADERS, SECRET, { now: new Date(NOW.getTime() + 301_000) });
    await assertRejected('timestamp_too_old', old, /sent 301 seconds ago, and the tolerance is 300 seconds/);
    const early = verifyWebhook(BODY, HEADERS, SECRET, { now: new Date(NOW.getTime() - 301_000) });
    await assertRejected('timestamp_too_new', early, /sent 301 seconds in the future/);
    await assert.rejects(verifyWebhook(BODY, HEADERS, SECRET, { now: NOW, toleranceSeconds: Number.NaN }));
  });

  test('missing and empty headers', async () => {
    for (const name of Object.keys(HEADERS)) {
      for (const value of [undefined, '', []]) {
        const words = new RegExp(`The ${name} header is missing`);
        await assertRejected('missing_header', verify(BODY, { ...HEADERS, [name]: value }), words);
      }
      const { [name]: _, ...others } = { ...HEADERS } as Record<string, string>;
      await assertRejected('missing_header', verify(BODY, new Headers(others)));
    }
  });

  test('duplicate headers, even with equal values', async (t) => {
    for (const [name, value] of Object.entries(HEADERS)) {
      const headers = new Headers(HEADERS);
      headers.append(name, value);
      const listed = { ...HEADERS, [name]: [value, value] };
      const capitalized = { ...HEADERS, [name.toUpperCase()]: value };
      for (const duplicate of [headers, listed, capitalized]) {
        await assertRejected('duplicate_header', verify(BODY, duplicate), /more than once/);
      }
    }
    const server = createServer(async ({ headers }, response) => {
      const error = await verify(BODY, headers).catch(({ reason }) => reason);
      response.end(error);
    }).listen(0, '127.0.0.1');
    defer(t, () => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const raw = [...Object.entries(HEADERS), ...Object.entries(HEADERS)].flat();
    const sent = request({ port, method: 'POST', headers: ['Host', 'localhost', ...raw] });
    sent.end();
    const [response] = await once(sent, 'response');
    assert.equal(String(await buffer(response)), 'duplicate_header');
  });

  test('only signatures of other versions', async () => {
    for (const signature of [`v1a,${'A'.repeat(86)}==`, SIGNATURE.replace('v1', 'v2'), 'v1a,AAAA v0,AAAA']) {
      const headers = { ...HEADERS, 'webhook-signature': signature };
      await assertRejected('unsupported_signature', verify(BODY, headers), /version v1/);
    }
  });

  test('malformed and huge headers', async () => {
    const changes: Partial<typeof HEADERS>[] = [
      { 'webhook-id': 'msg 1' },
      { 'webhook-id': 'msg,1' },
      { 'webhook-id': 'é' },
      { 'webhook-timestamp': 'now' },
      { 'webhook-timestamp': '-5' },
      { 'webhook-timestamp': '1e9' },
      { 'webhook-timestamp': ` ${HEADERS['webhook-timestamp']}` },
      { 'webhook-timestamp': '9'.repeat(13) },
      { 'webhook-signature': SIGNATURE.slice(3) },
      { 'webhook-signature': 'v1,' },
      { 'webhook-signature': `${SIGNATURE},${SIGNATURE}` },
      { 'webhook-signature': `${SIGNATURE}  ${SIGNATURE}` },
    ];
    for (const change of changes) {
      await assertRejected('malformed_header', verify(BODY, { ...HEADERS, ...change }), /is malformed/);
    }
    for (const name of Object.keys(HEADERS)) {
      const huge = { ...HEADERS, [name]: `${SIGNATURE} `.repeat(100_000) + SIGNATURE };
      await assertRejected('malformed_header', verify(BODY, huge), /more than 4096 characters/);
    }
  });

  test('a parsed body, and says why', async () => {
    const { missing, ...parsed } = JSON.parse(`{"event":${BODY},"object":{},"null":null,"number":7,"list":[1]}`);
    for (const body of [missing, ...Object.values<string>(parsed)]) {
      await assertRejected('parsed_body', verify(body, HEADERS), /not a parsed object, .*express\.raw\(\)/s);
    }
  });

  test('a body that is signed but not an event', async () => {
    for (const body of ['', 'null', '7', '[]', '{}', '{"type":7}', '{"type":']) {
      const headers = await signWebhook(body, SECRET, { id: ID, now: NOW });
      await assertRejected('invalid_body', verify(body, headers));
    }
  });

  test('a missing or malformed secret, without quoting it', async () => {
    for (const secrets of [undefined, '', ' ', [], [undefined, '']]) {
      await assertRejected('invalid_secret', verifyWebhook(BODY, HEADERS, secrets), /is missing/);
    }
    const malformed = [
      SECRET.slice(6),
      `WHSEC_${SECRET.slice(6)}`,
      SECRET.slice(0, -5),
      `${SECRET.slice(0, 30)} ${SECRET.slice(30)}`,
      createSecret(23),
      createSecret(65),
      'whsec_',
      'whsec_ä',
    ];
    for (const secret of malformed) {
      await assertRejected('invalid_secret', verify(BODY, HEADERS, secret), /whsec_ .* 24 to 64 bytes/);
      await assertRejected('invalid_secret', verify(BODY, HEADERS, [SECRET, secret]));
      await assertRejected('invalid_secret', signWebhook(BODY, secret, { id: ID }));
    }
  });
});
