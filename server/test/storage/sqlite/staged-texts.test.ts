import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StagedTexts } from '../../../src/storage/open.ts';

const MEGABYTE = 2 ** 20;

test('texts on disk take hardly any memory, and are read in any order', () => {
  using texts = new StagedTexts(MEGABYTE);
  const startBytes = process.memoryUsage.rss();
  const textOf = (index: number) => `${index} Österreich 🏠 \0 ${'x'.repeat(10_000)}`;
  const readers = Array.from({ length: 10_000 }, (_, index) => texts.keep(textOf(index)));
  const growthBytes = process.memoryUsage.rss() - startBytes;
  assert.ok(growthBytes < 32 * MEGABYTE, `memory has grown by ${growthBytes} bytes`);
  for (let index = 0; index < readers.length; index += 1) {
    const at = (index * 7_919) % readers.length;
    assert.equal(readers[at]?.(), textOf(at));
  }
});
