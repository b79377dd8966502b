import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRetryAfter } from '../../src/model/webhooks.ts';

test('Retry-After is seconds or a date, with white space around it', () => {
  const now = Date.UTC(2026, 0, 1);
  for (const header of ['60', '60 ', '\t60\t', 'Thu, 01 Jan 2026 00:01:00 GMT '])
    assert.equal(parseRetryAfter(header, now), 60_000, header);
  for (const header of [undefined, '', 'soon', '-1', 'Wed, 31 Dec 2025 00:00:00 GMT'])
    assert.equal(parseRetryAfter(header, now), 0, String(header));
});
