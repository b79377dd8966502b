import { type Executor, type Parameter, statement } from './database.ts';
import { allRows, countRows, firstRow, rowOf } from './functions.ts';

type Owner = { accountId: string; userId: string };

export interface SavedView {
  name: string;
  /** The query string of the page. */
  search: string;
}

/** The views of a member, ordered by name. */
export const listSavedViews = allRows(['accountId', 'userId'], (query, parameter: Parameter<Owner>) =>
  query
    .selectFrom('saved_views')
    .select(['name', 'search'])
    .where('account_id', '=', parameter('accountId'))
    .where('user_id', '=', parameter('userId'))
    .orderBy('name'),
);

export const countOtherViews = countRows(
  ['accountId', 'userId', 'name'],
  (query, parameter: Parameter<Owner & { name: string }>) =>
    query
      .selectFrom('saved_views')
      .select('name')
      .where('account_id', '=', parameter('accountId'))
      .where('user_id', '=', parameter('userId'))
      .where('name', '!=', parameter('name')),
);

const upsert = statement<Owner & SavedView>((query, parameter) =>
  query
    .insertInto('saved_views')
    .values(rowOf(parameter, ['accountId', 'userId', 'name', 'search']))
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'user_id', 'name']).doUpdateSet({ search: parameter('search') }),
    ),
);

/** Stores a view, replacing the member's view with the same name. */
export async function putSavedView(executor: Executor, owner: Owner, view: SavedView): Promise<void> {
  await executor.execute(upsert, { ...owner, ...view });
}

export const removeSavedView = firstRow(
  ['accountId', 'userId', 'name'],
  (query, parameter: Parameter<Owner & { name: string }>) =>
    query
      .deleteFrom('saved_views')
      .where('account_id', '=', parameter('accountId'))
      .where('user_id', '=', parameter('userId'))
      .where('name', '=', parameter('name'))
      .returning('name'),
);
