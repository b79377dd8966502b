import { type Kysely, type SelectType, sql } from 'kysely';
import { type Executor, type Parameter, type Statement, statement } from './database.ts';
import { allRows, columnOf, columnsOf, countRows, rowOf } from './functions.ts';
import type { Tables } from './schema.ts';

// Each of these functions declares a statement on one table and returns a function that runs the statement.
// All except `insertRow` select the rows with the given values in the columns `by`. For tenant data,
// `accountId` comes first. Columns are given by their names in TypeScript (see `columnOf`).

type Table = keyof Tables;
type Camel<S extends string> = S extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : S;
type RowOf<T extends Table> = { [C in keyof Tables[T] & string as Camel<C>]: SelectType<Tables[T][C]> };
type Name<T extends Table> = keyof RowOf<T> & string;
type Runner = Pick<Executor, 'execute'>;
type Run<T extends Table, B extends readonly Name<T>[], R, Last extends unknown[] = []> = (
  executor: Runner,
  ...values: [...{ [I in keyof B]: RowOf<T>[B[I]] }, ...Last]
) => Promise<R>;

type Values = Record<string, unknown>;
type Query = Kysely<Record<string, Values>>;
type Build = (query: Query, parameter: Parameter<Values>) => ReturnType<Statement<Values, never>['build']>;

/**
 * The functions below check names and values with their own types, since the query builder's types work only
 * for a single table.
 */
const untyped = (build: Build) => build as unknown as Statement<Values, never>['build'];

function select(table: string, by: readonly string[], members: readonly string[]) {
  return (query: Query, parameter: Parameter<Values>) =>
    query
      .selectFrom(table)
      .select(columnsOf(members))
      .where(({ and }) => and(rowOf(parameter, by)));
}

export function findRow<T extends Table, const B extends readonly Name<T>[], const M extends Name<T>>(
  table: T,
  by: B,
  members: readonly M[],
): Run<T, B, Pick<RowOf<T>, M> | undefined> {
  const find = allRows(by as readonly string[], untyped(select(table, by, members)));
  return async (executor, ...values) => (await find(executor, ...values))[0];
}

/** Finds rows, ordered by a column. */
export function findRows<T extends Table, const B extends readonly Name<T>[], const M extends Name<T>>(
  table: T,
  by: B,
  members: readonly M[],
  order: Name<T>,
): Run<T, B, Pick<RowOf<T>, M>[]> {
  const rows = select(table, by, members);
  return allRows(
    by as readonly string[],
    untyped((...given) => rows(...given).orderBy(columnOf(order))),
  ) as never;
}

export function insertRow<T extends Table, const M extends Name<T>>(table: T, members: readonly M[]) {
  const insert = statement<Values>(
    untyped((query, parameter) => query.insertInto(table as string).values(rowOf(parameter, members))),
  );
  return async (executor: Runner, row: Pick<RowOf<T>, M>): Promise<void> => {
    await executor.execute(insert, row as Values);
  };
}

/** Sets `members` of the matching rows to the values in the last argument. @returns how many rows matched */
export function updateRows<T extends Table, const B extends readonly Name<T>[], const M extends Name<T>>(
  table: T,
  by: B,
  members: readonly M[],
): Run<T, B, number, [to: Pick<RowOf<T>, M>]> {
  const update = statement<Values, unknown>(
    untyped((query, parameter) =>
      query
        .updateTable(table as string)
        .set(rowOf(parameter, members))
        .where(({ and }) => and(rowOf(parameter, by)))
        .returning(sql`1`.as('one')),
    ),
  );
  return async (executor, ...values) => {
    const keys = by.map((name, index) => [name, values[index]]);
    const to = values.at(-1) as Values;
    return (await executor.execute(update, { ...to, ...Object.fromEntries(keys) })).length;
  };
}

/** Removes the rows. @returns how many */
export function removeRows<T extends Table, const B extends readonly Name<T>[]>(table: T, by: B): Run<T, B, number> {
  const remove = untyped((query, parameter) =>
    query
      .deleteFrom(table as string)
      .where(({ and }) => and(rowOf(parameter, by)))
      .returning(sql`1`.as('one')),
  );
  return countRows(by as readonly string[], remove) as never;
}

/**
 * Removes up to `limit` of the rows: the first ones in the order of `rest`, the other columns of the table's
 * key.
 * @returns how many
 */
export function removeSomeRows<T extends Table, const B extends readonly Name<T>[]>(
  table: T,
  by: B,
  rest: readonly Name<T>[],
): Run<T, B, number, [limit: number]> {
  const key = sql.join(rest.map((name) => sql.ref(columnOf(name))));
  const remove = untyped((query, parameter) => {
    const first = select(
      table,
      by,
      rest,
    )(query, parameter)
      .orderBy(key)
      .limit(parameter('limit') as never);
    return query
      .deleteFrom(table as string)
      .where(({ and }) => and(rowOf(parameter, by)))
      .where(sql<boolean>`(${key}) in ${first}`)
      .returning(sql`1`.as('one'));
  });
  return countRows([...by, 'limit'] as readonly string[], remove) as never;
}
