import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImportRow } from '../../src/domain/imports/import-rows.ts';
import { importRows } from '../../src/domain/imports/imports.ts';
import { AppError } from '../../src/model/errors.ts';
import type { Database } from '../../src/storage/database.ts';
import { databaseFor, storedIds } from '../storage/support.ts';

const row = (line: number): ImportRow => ({
  line,
  id: undefined,
  externalId: undefined,
  makeInput: () => ({ address: '12 Elm Street', beds: 3, baths: 2 }),
});

async function* batches(): AsyncGenerator<ImportRow[]> {
  yield [row(1)];
  yield [row(2)];
}

/** Wraps a database so that write number `first` and all later ones fail. */
function failingFrom(database: Database, first: number): Database {
  let writes = 0;
  return {
    ...database,
    write(job) {
      writes += 1;
      const failure = new AppError('unavailable', 'Nothing was written.', { headers: { 'Retry-After': '1' } });
      return writes < first ? database.write(job) : Promise.reject(failure);
    },
  };
}

for (const [first, message, created] of [
  [1, /^Nothing was written/, 0],
  [2, /Only the rows that this report counts as created or updated were written/, 1],
] as const) {
  test(`an import whose write ${first} fails reports what it saved before: ${created}`, async (t) => {
    const { database, accountId } = await databaseFor(t);
    const request = { actor: { accountId }, batches: batches(), isDryRun: false };
    await assert.rejects(importRows(failingFrom(database, first), request, assert.ifError), (error) => {
      assert.ok(error instanceof AppError && error.code === 'unavailable');
      assert.match(error.message, message);
      assert.equal(error.members.created, created);
      assert.equal(error.headers['Retry-After'], '1');
      return true;
    });
    assert.equal((await storedIds(database)).length, created);
  });
}

test('a dry run that fails does not say that rows were written', async (t) => {
  const { database, accountId } = await databaseFor(t);
  async function* broken(): AsyncGenerator<ImportRow[]> {
    yield [row(1)];
    throw new AppError('unavailable', 'Nothing was written.');
  }
  const request = { actor: { accountId }, batches: broken(), isDryRun: true };
  await assert.rejects(importRows(database, request, assert.ifError), (error) => {
    assert.ok(error instanceof AppError && error.code === 'unavailable');
    assert.deepEqual([error.message, error.members.created], ['Nothing was written.', 1]);
    return true;
  });
});
