import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { StagedTexts } from '../../../src/storage/open.ts';

const MEGABYTE = 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('texts on disk take hardly any memory, and are read in any order', () => {
  using texts = new StagedTexts(MEGABYTE);
  const startBytes = heapBytes();
  const textOf = (index: number) => `${index} Österreich 🏠 \0 ${'x'.repeat(10_000)}`;
  const readers = Array.from({ length: 10_000 }, (_, index) => texts.keep(textOf(index)));
  const growthBytes = heapBytes() - startBytes;
  assert.ok(growthBytes < 8 * MEGABYTE, `the heap has grown by ${growthBytes} bytes`);
  for (let index = 0; index < readers.length; index += 1) {
    const at = (index * 7_919) % readers.length;
    assert.equal(readers[at]?.(), textOf(at));
  }
});
