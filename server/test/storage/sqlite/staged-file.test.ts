import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../src/model/errors.ts';
import { StagedFile } from '../../../src/storage/open.ts';

const MEGABYTE = 2 ** 20;

test('rows take a limited amount of disk space, and hardly any memory', () => {
  using file = new StagedFile(64 * MEGABYTE);
  const content = 'x'.repeat(1_000);
  const startBytes = process.memoryUsage.rss();
  let number = 0;
  const fill = () => {
    for (;;) {
      number += 1;
      const externalId = `A-${(number * 7_919) % 1_000_003}`;
      file.add({ number, line: number, externalId, content, hash: 'h', values: content, cleaned: 0 });
    }
  };
  assert.throws(fill, (error) => error instanceof AppError && error.code === 'storage_full');
  assert.ok(number > 20_000 && number < 33_000, `${number} rows of 2 KB`);
  const growthBytes = process.memoryUsage.rss() - startBytes;
  assert.ok(growthBytes < 32 * MEGABYTE, `memory has grown by ${growthBytes} bytes`);
});
