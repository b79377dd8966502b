import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bundleClient } from './support/bundle.ts';

const GZIP_BYTES_MAX = 8_000;

test('the bundled client is at most 8 kB gzipped, imports nothing, and keeps the names of errors', async () => {
  const code = await bundleClient();
  const { length } = gzipSync(code, { level: 9 });
  assert.ok(length <= GZIP_BYTES_MAX, `the bundle has ${length} bytes`);
  assert.doesNotMatch(code, /\bimport ?[{*'"`(]|\brequire\(/);
  const client = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const error = new client.NotFoundError(404, 'not_found', 'There is no such listing.');
  assert.equal(String(error), 'NotFoundError: There is no such listing.');
});
