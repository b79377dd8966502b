import { sql } from 'kysely';
import type { Listing } from '../model/listings.ts';
import { toSearchRow } from '../model/search-terms.ts';
import { BATCH_LENGTH, batchInsert, executeBatch } from './batches.ts';
import { type Executor, statement } from './database.ts';
import { columnOf } from './functions.ts';
import type { StoredListing } from './listings.ts';
import { RUN_BYTES_MAX } from './runs.ts';
import type { Tables } from './schema.ts';
import { insertSearchRows } from './search-rows.ts';

/** The progress of a migration, in listings. */
export interface MigrationProgress {
  done: number;
  total: number;
}

export type TellProgress = (progress: MigrationProgress) => Promise<void>;

interface Key {
  accountId: string;
  id: string;
}

type Source = 'listings' | 'former_listings';

const selectAfter = (source: Source) =>
  statement<Key & { limit: number }, Key & StoredListing>((query, parameter) =>
    query
      .selectFrom(sql<Tables['listings']>`${sql.table(source)}`.as('source'))
      .select(['account_id as accountId', 'id', 'version', 'sequence', 'doc'])
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('account_id', 'id'), '>', tuple(parameter('accountId'), parameter('id'))),
      )
      .orderBy('account_id')
      .orderBy('id')
      .limit(parameter('limit')),
  );

const countAll = (source: Source) =>
  statement<object, { count: number }>((query) =>
    query
      .selectFrom(sql<Tables['listings']>`${sql.table(source)}`.as('source'))
      .select(({ fn }) => fn.countAll<number>().as('count')),
  );

/** Only later migrations add the other columns. */
const MEMBERS = ['accountId', 'id', 'version', 'sequence', 'terms', 'doc'] as const;

const insertSome = batchInsert('listings', MEMBERS.map(columnOf));

/**
 * Rebuilds the search data of all listings, and copies the listings if `source` is another table. After each
 * batch, calls `endBatch` with the key of the batch's last listing, and awaits `tell`.
 */
export async function rebuildListings(
  executor: Executor,
  source: Source,
  tell: TellProgress,
  endBatch: (last: Key) => void = () => {},
): Promise<void> {
  const [counted] = await executor.execute(countAll(source), {});
  const total = Number(counted?.count);
  const select = selectAfter(source);
  let last: Key = { accountId: '', id: '' };
  let done = 0;
  for (;;) {
    const { rows } = await executor.executeRun(select, { ...last, limit: BATCH_LENGTH }, RUN_BYTES_MAX);
    const [first] = rows;
    if (first === undefined) return;
    const some = rows.filter(({ accountId }) => accountId === first.accountId);
    const made = some.map((row) => ({ ...row, ...toSearchRow(JSON.parse(row.doc) as Listing), id: row.id }));
    if (source !== 'listings') {
      const copies = made.map((row) => MEMBERS.map((name) => row[name]));
      await executeBatch(executor, insertSome, copies);
    }
    await insertSearchRows(executor, first.accountId, made);
    last = some.at(-1) ?? first;
    endBatch(last);
    done += some.length;
    await tell({ done, total });
  }
}
