import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { defer } from '../../../testkit/src/cleanup.ts';
import { importAtomically } from '../../src/domain/imports/atomic-imports.ts';
import type { ImportRow } from '../../src/domain/imports/import-rows.ts';
import { deleteListing } from '../../src/domain/listings/listings.ts';
import { NEWEST_FIRST } from '../../src/model/search.ts';
import { create, databaseFor } from '../storage/support.ts';

const ROWS: ImportRow[] = [1, 2, 3].map((line) => ({
  line,
  id: undefined,
  externalId: undefined,
  makeInput: () => ({ address: `${line} Import Street`, beds: 1, baths: 1 }),
}));

test('ids of an account increase in the order of the commits, even if the clock of another process is ahead', async (t) => {
  const { database, url, sql, accountId } = await databaseFor(t);
  const thread = new Worker(new URL('../support/clock-ahead.ts', import.meta.url), { workerData: { url, accountId } });
  defer(t, () => thread.terminate());
  const createAhead = async (isLast = false): Promise<string> => {
    const answered = once(thread, 'message');
    thread.postMessage(isLast);
    return (await answered)[0];
  };
  const createMany = () => Promise.all(Array.from({ length: 20 }, () => create(database, accountId)));
  const importDuring = async () => {
    const batches = (async function* () {
      yield ROWS;
    })();
    const during: typeof database = {
      ...database,
      writeLong: async (job, account) => {
        await createAhead();
        return database.writeLong(job, account);
      },
    };
    await importAtomically(during, { actor: { accountId }, batches, isDryRun: false }, () => undefined);
  };

  await createMany();
  for (let turn = 0; turn < 3; turn += 1) await Promise.all([createAhead(), createMany()]);
  // The id of a deleted listing counts as well.
  await deleteListing(database, { accountId }, { id: await createAhead() });
  await create(database, accountId);
  await importDuring();
  await createMany();
  await createAhead(true);

  const events = await sql("select listing_id from events where type = 'listing.created' order by sequence");
  const ids = events.map(({ listing_id: id }) => String(id));
  assert.equal(ids.length, 20 + 3 * 21 + 2 + 1 + 3 + 20 + 1);
  assert.deepEqual(ids, [...new Set(ids)].sort());
  const deleted = await sql("select listing_id from events where type = 'listing.deleted'");
  const stored = ids.filter((id) => id !== deleted[0]?.listing_id);
  const search = { conditions: [], box: undefined, circle: undefined, words: ['street'], order: NEWEST_FIRST };
  const { packs } = await database.search.findPositions(accountId, search, { after: undefined, limit: 1_000 }, {});
  assert.deepEqual(
    packs.flatMap((open) => open()).map(({ id }) => id),
    stored.reverse(),
  );
});
