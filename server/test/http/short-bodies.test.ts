import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Browser, createPerson, signIn } from '../../../testkit/src/browser.ts';
import { sendRaw } from '../../../testkit/src/raw.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { ADMIN } from '../../src/http/map.ts';

const service = await startSharedService();

const BYTES_MAX = 16 * 1024;
/** Operations that read files of any length. */
const OF_FILES = new Set(['createImport', 'putFeed']);

/** The other operations below `/admin` with a body. */
const operations = ADMIN.operations.filter(
  ({ operationId, body }) => body !== undefined && body.bytesMax === undefined && !OF_FILES.has(operationId),
);
assert.ok(operations.some(({ caller }) => caller === 'anyone'));

describe('other bodies below /admin have at most 16 KiB', () => {
  for (const { method, path, body, caller } of operations) {
    test(`${method} ${path}`, async () => {
      const browser = caller === 'anyone' ? new Browser(service) : await signIn(service, await createPerson(service));
      const send = (bytes: string, isChunked: boolean) =>
        browser.fetch(`/admin${path.replaceAll(/\{\w+\}/g, 'x')}`, {
          method: method.toUpperCase(),
          headers: { 'Content-Type': body?.types[0] ?? '' },
          body: isChunked ? ReadableStream.from([Buffer.from(bytes)]) : bytes,
          duplex: 'half',
        });
      for (const isChunked of [false, true]) {
        await readError(await send('['.repeat(BYTES_MAX + 1), isChunked), 413, 'payload_too_large');
        await readError(await send('['.repeat(BYTES_MAX), isChunked), 400, 'invalid_json');
      }
    });
  }
});

test('a Content-Length above the limit is rejected before the body arrives', async () => {
  const head = `POST /admin/auth/sign-in/email HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n`;
  const rest = `Content-Type: application/json\r\nContent-Length: ${BYTES_MAX + 1}\r\nConnection: close\r\n\r\n`;
  assert.equal((await sendRaw(service.url, head + rest)).status, 413);
});
