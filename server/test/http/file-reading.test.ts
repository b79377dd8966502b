import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { FileReading } from '../../src/http/imports/file-reading.ts';
import type { ReadingRequest } from '../../src/http/imports/reading.ts';

const REQUEST: ReadingRequest = {
  mediaType: 'text/csv',
  ...{ map: new Map(), values: new Map(), defaults: new Map() },
  ...{ ignoreUnknown: false, clean: false, dates: undefined, decimal: undefined, units: undefined, mode: 'merge' },
  ...{ isFeed: true, hasAllDetails: true, isGzipped: false, bytesMax: undefined, fingerprintStart: undefined },
};

test('if a thread ends before it has read the file, the import fails with unavailable', async () => {
  const { port1, port2 } = new MessageChannel();
  using file = new FileReading(port1, REQUEST, () => {});
  const closed = once(port1, 'close');
  port2.close();
  await closed;
  async function* body() {
    yield Buffer.from('externalId\n');
  }
  const read = Array.fromAsync(file.readRows(body, new AbortController().signal));
  await assert.rejects(read, { code: 'unavailable' });
});
