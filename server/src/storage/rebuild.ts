import type { Listing } from '../model/listings.ts';
import { toSearchRow } from '../model/search-terms.ts';
import { BATCH_LENGTH } from './batches.ts';
import { type Executor, statement } from './database.ts';
import { RUN_BYTES_MAX } from './runs.ts';
import { insertSearchRows } from './search-rows.ts';

/** How much of a migration is done, in listings. */
interface MigrationProgress {
  done: number;
  total: number;
}

export type TellProgress = (progress: MigrationProgress) => Promise<void>;

interface Key {
  accountId: string;
  id: string;
}

const selectAfter = statement<Key & { limit: number }, Key & { doc: string }>((query, parameter) =>
  query
    .selectFrom('listings')
    .select(['account_id as accountId', 'id', 'doc'])
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('account_id', 'id'), '>', tuple(parameter('accountId'), parameter('id'))),
    )
    .orderBy('account_id')
    .orderBy('id')
    .limit(parameter('limit')),
);

const countAll = statement<object, { count: number }>((query) =>
  query.selectFrom('listings').select(({ fn }) => fn.countAll<number>().as('count')),
);

/** Makes what searches need of all listings. Awaits `tell` after each few listings. */
export async function rebuildSearchRows(executor: Executor, tell: TellProgress): Promise<void> {
  const [counted] = await executor.execute(countAll, {});
  const total = Number(counted?.count);
  let last: Key = { accountId: '', id: '' };
  let done = 0;
  for (;;) {
    const { rows } = await executor.executeRun(selectAfter, { ...last, limit: BATCH_LENGTH }, RUN_BYTES_MAX);
    const [first] = rows;
    if (first === undefined) return;
    const some = rows.filter(({ accountId }) => accountId === first.accountId);
    const searchRows = some.map(({ id, doc }) => ({ ...toSearchRow(JSON.parse(doc) as Listing), id }));
    await insertSearchRows(executor, first.accountId, searchRows);
    last = some.at(-1) ?? first;
    done += some.length;
    await tell({ done, total });
  }
}
