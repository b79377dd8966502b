import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bundleClient } from './support/bundle.ts';

async function importBundle(entry: string, gzipBytesMax: number) {
  const code = await bundleClient(entry);
  const { length } = gzipSync(code, { level: 9 });
  assert.ok(length <= gzipBytesMax, `the bundle has ${length} bytes`);
  assert.doesNotMatch(code, /\bimport ?[{*'"`(]|\brequire\(/);
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

test('the bundled client is at most 8 kB gzipped, imports nothing, and keeps the names of errors', async () => {
  const client = await importBundle('index.ts', 8_000);
  const error = new client.NotFoundError(404, 'not_found', 'There is no such listing.');
  assert.equal(String(error), 'NotFoundError: There is no such listing.');
});

test('the bundled webhook verification is at most 2 kB gzipped, imports nothing, and keeps the name of its error', async () => {
  const webhooks = await importBundle('webhooks.ts', 2_000);
  const error = await webhooks.verifyWebhook('{}', {}, '').catch((error: unknown) => error);
  assert.equal(String(error), 'WebhookVerificationError: The secret of the webhook endpoint is missing.');
});
