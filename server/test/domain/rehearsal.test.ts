import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImportRow } from '../../src/domain/imports/import-rows.ts';
import { importRows } from '../../src/domain/imports/imports.ts';
import { create, databaseFor, storedIds } from '../storage/support.ts';

const row = (line: number, beds: number, id?: string): ImportRow => ({
  line,
  id,
  externalId: 'A',
  makeInput: () => ({ address: '12 Elm Street', beds, baths: 2, externalId: 'A' }),
});

test('a dry run is unaffected if another request takes the externalId of one of its rows', async (t) => {
  const { database, accountId } = await databaseFor(t);
  async function* batches(): AsyncGenerator<ImportRow[]> {
    yield [row(1, 3)];
    const { id } = await create(database, accountId, { externalId: 'A' });
    yield [row(2, 3), row(3, 4)];
    // In a real import, row 2 would update this listing, and row 4 would find it.
    yield [row(4, 5, id)];
  }
  const request = { actor: { accountId }, batches: batches(), isDryRun: true };
  const { errors, ...counts } = await importRows(database, request, assert.ifError);
  assert.deepEqual(counts, { created: 1, updated: 1, unchanged: 1, failed: 1, repeated: 0, cleaned: 0 });
  assert.deepEqual([errors.length, errors[0]?.line, errors[0]?.code], [1, 4, 'not_found']);
  assert.equal((await storedIds(database)).length, 1);
});
