import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { StagedTexts, textOf } from '../../../src/storage/open.ts';

const MEGABYTE = 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('strings on disk take hardly any memory and can be read in any order', () => {
  using texts = new StagedTexts(MEGABYTE);
  const startBytes = heapBytes();
  const makeText = (index: number) => `${index} Österreich 🏠 \0 ${'x'.repeat(10_000)}`;
  const kept = Array.from({ length: 10_000 }, (_, index) => texts.keep(makeText(index)));
  const growthBytes = heapBytes() - startBytes;
  assert.ok(growthBytes < 8 * MEGABYTE, `the heap has grown by ${growthBytes} bytes`);
  for (let index = 0; index < kept.length; index += 1) {
    const at = (index * 7_919) % kept.length;
    assert.equal(textOf(kept[at] ?? ''), makeText(at));
  }
});
