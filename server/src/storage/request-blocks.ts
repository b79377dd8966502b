import { sql } from 'kysely';
import { type Executor, type Parameter, statement } from './database.ts';
import { allRows } from './functions.ts';
import { findRow, insertRow, type RowOf, removeSomeRows } from './rows.ts';

/** Requests of an account that ended at about the same time, in the order in which they ended. */
export type RequestBlock = Pick<RowOf<'request_blocks'>, 'id' | 'requests' | 'failures'>;

export const insertRequestBlock = insertRow('request_blocks', ['accountId', 'id', 'requests', 'failures']);

/** A range of block ids, from `since` (inclusive) to `before` (exclusive). */
export interface BlockRange {
  since: string;
  before: string;
  /** Whether to read only blocks in which a request failed. */
  failed: boolean;
}

type Find = Omit<BlockRange, 'failed'> & { accountId: string; limit: number };

const selectBlocks = (isFailed: boolean) =>
  statement<Find, RequestBlock>((query, parameter) =>
    query
      .selectFrom('request_blocks')
      .select(['id', 'requests', 'failures'])
      .where('account_id', '=', parameter('accountId'))
      .where('id', '>=', parameter('since'))
      .where('id', '<', parameter('before'))
      .$if(isFailed, (only) => only.where('failures', '>', sql.lit(0)))
      .orderBy('id', 'desc')
      .limit(parameter('limit')),
  );

const selectAll = selectBlocks(false);
const selectFailed = selectBlocks(true);

export function findRequestBlocks(
  executor: Pick<Executor, 'execute'>,
  accountId: string,
  { since, before, failed }: BlockRange,
  limit: number,
): Promise<RequestBlock[]> {
  return executor.execute(failed ? selectFailed : selectAll, { accountId, since, before, limit });
}

export const removeRequestBlocks = removeSomeRows('request_blocks', ['accountId'], ['id']);

type Trim = { before: string; limit: number };

/** Removes up to `limit` blocks, of all accounts, with ids below `before`, oldest first. @returns their sizes */
export const removeOldestRequestBlocks = allRows(['before', 'limit'], (query, parameter: Parameter<Trim>) =>
  query
    .deleteFrom('request_blocks')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('account_id', 'id'),
        'in',
        selectFrom('request_blocks')
          .select(['account_id', 'id'])
          .where('id', '<', parameter('before'))
          .orderBy('id')
          .limit(parameter('limit'))
          .$asTuple('account_id', 'id'),
      ),
    )
    .returning('bytes'),
);

export const sumRequestBytes = allRows([], (query) =>
  query.selectFrom('request_blocks').select(sql<number | null>`cast(sum(bytes) as bigint)`.as('bytes')),
);

export const findOldestRequestBlock = findRow('request_blocks', [], ['id'], 'id');

/** The first account after `afterId` that has blocks, for work on all accounts. */
export const findAccountWithRequests = findRow('request_blocks', ['accountId >'], ['accountId'], 'accountId');
