import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../src/model/errors.ts';
import { StagedFile } from '../../../src/storage/open.ts';

const MEGABYTE = 2 ** 20;
const ROW = { possibleIds: undefined, hash: 'h', cleaned: 0 };

test('rows take a limited amount of disk space, and hardly any memory', () => {
  using file = new StagedFile(64 * MEGABYTE);
  const content = 'x'.repeat(1_000);
  const startBytes = process.memoryUsage.rss();
  let number = 0;
  const fill = () => {
    for (;;) {
      number += 1;
      const externalId = `A-${(number * 7_919) % 1_000_003}`;
      file.add({ ...ROW, number, line: number, externalId, content, values: content });
    }
  };
  assert.throws(fill, (error) => error instanceof AppError && error.code === 'storage_full');
  assert.ok(number > 20_000 && number < 33_000, `${number} rows of 2 KB`);
  const growthBytes = process.memoryUsage.rss() - startBytes;
  assert.ok(growthBytes < 32 * MEGABYTE, `memory has grown by ${growthBytes} bytes`);
});

/** A file with `count` rows whose content and values have a megabyte, to be written or failed. */
function addLarge(file: StagedFile, count: number, kind: 'work' | 'failure'): void {
  const large = 'x'.repeat(MEGABYTE);
  for (let number = 1; number <= count; number += 1) {
    file.add({ ...ROW, number, line: number, externalId: `A-${number}`, content: large, values: large });
    if (kind === 'work') file.addWork(number, 'change');
    else file.addFailure(number, `{"line":${number}}`);
  }
}

test('large rows are read one at a time, and the values of failed rows only if they can be stored', () => {
  using file = new StagedFile();
  addLarge(file, 3, 'work');
  assert.deepEqual(
    file.workAfter(1, 50).map(({ number, content }) => [number, content.length]),
    [[2, MEGABYTE]],
  );
  using failed = new StagedFile();
  addLarge(failed, 3, 'failure');
  assert.deepEqual(
    failed.failuresAfter(0, 50).map(({ values }) => values),
    [null, null, null],
  );
  assert.equal(failed.valuesOf(1), null);
  assert.deepEqual(failed.firstErrors(2, MEGABYTE), ['{"line":1}', '{"line":2}']);
  assert.deepEqual(failed.firstErrors(3, 25), ['{"line":1}', '{"line":2}']);
});
