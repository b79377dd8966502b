import { type ExpressionBuilder, type Kysely, type SelectType, sql } from 'kysely';
import { type Executor, type Parameter, type Statement, statement } from './database.ts';
import { allRows, columnOf, columnsOf, command, countRows, hasRow, rowOf } from './functions.ts';
import type { Tables } from './schema.ts';

// Each of these functions declares a statement on one table and returns a function that runs the statement.
// All except `insertRow` and `putRow` select the rows whose columns `by` have the given values. In `by`, an
// operator can follow the name of a column, as in `expiresAt >`. In an order, `desc` can follow the name. For
// tenant data, `accountId` comes first. Columns are given by their names in TypeScript (see `columnOf`).

type Table = keyof Tables;
type Camel<S extends string> = S extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : S;
/** A row of a table; `schema.ts` describes its columns. */
export type RowOf<T extends Table> = { [C in keyof Tables[T] & string as Camel<C>]: SelectType<Tables[T][C]> };
type Name<T extends Table> = keyof RowOf<T> & string;
type Operator = '<' | '<=' | '>' | '>=' | '!=';
type Key<T extends Table> = Name<T> | `${Name<T>} ${Operator}`;
type ValueOf<T extends Table, K> =
  K extends Name<T> ? RowOf<T>[K] : K extends `${infer N extends Name<T>} ${Operator}` ? RowOf<T>[N] : never;
type Order<T extends Table> = Name<T> | `${Name<T>} desc`;
type Runner = Pick<Executor, 'execute'>;
type Run<T extends Table, B extends readonly Key<T>[], R, Last extends unknown[] = []> = (
  executor: Runner,
  ...values: [...{ [I in keyof B]: ValueOf<T, B[I]> }, ...Last]
) => Promise<R>;

type Values = Record<string, unknown>;
type Query = Kysely<Record<string, Values>>;
type Build = (query: Query, parameter: Parameter<Values>) => ReturnType<Statement<Values, never>['build']>;

/** The query builder's types work only for a single table, so the functions below declare their own types. */
const untyped = (build: Build) => build as unknown as Statement<Values, never>['build'];

function conditionOn(by: readonly string[], parameter: Parameter<Values>) {
  return ({ and, eb }: ExpressionBuilder<Record<string, Values>, string>) =>
    and(
      by.map((key) => {
        const [name = '', operator = '='] = key.split(' ');
        return eb(columnOf(name), operator as Operator, parameter(key));
      }),
    );
}

function select(table: string, by: readonly string[], members: readonly string[], order?: string) {
  const [name, direction] = order?.split(' ') ?? [];
  return (query: Query, parameter: Parameter<Values>) => {
    const rows = query.selectFrom(table).select(columnsOf(members)).where(conditionOn(by, parameter));
    return name === undefined ? rows : rows.orderBy(columnOf(name), direction as 'desc' | undefined);
  };
}

/** Finds the row or, with `order`, the first of several rows. */
export function findRow<T extends Table, const B extends readonly Key<T>[], const M extends Name<T>>(
  table: T,
  by: B,
  members: readonly M[],
  order?: Order<T>,
): Run<T, B, Pick<RowOf<T>, M> | undefined> {
  const rows = select(table, by, members, order);
  const first = untyped((...given) => (order === undefined ? rows(...given) : rows(...given).limit(sql.lit(1))));
  const find = allRows(by as readonly string[], first);
  return async (executor, ...values) => (await find(executor, ...values))[0];
}

export function findRows<T extends Table, const B extends readonly Key<T>[], const M extends Name<T>>(
  table: T,
  by: B,
  members: readonly M[],
  order: Order<T>,
): Run<T, B, Pick<RowOf<T>, M>[]> {
  return allRows(by as readonly string[], untyped(select(table, by, members, order))) as never;
}

/** Finds the first `limit` rows; any rows without `order`. */
export function findSomeRows<T extends Table, const B extends readonly Key<T>[], const M extends Name<T>>(
  table: T,
  by: B,
  members: readonly M[],
  order?: Order<T>,
): Run<T, B, Pick<RowOf<T>, M>[], [limit: number]> {
  const rows = select(table, by, members, order);
  const some = untyped((query, parameter) => rows(query, parameter).limit(parameter('limit') as never));
  return allRows([...by, 'limit'] as readonly string[], some) as never;
}

export function hasRows<T extends Table, const B extends readonly Key<T>[]>(table: T, by: B): Run<T, B, boolean> {
  const any = untyped((query, parameter) =>
    query
      .selectFrom(table as string)
      .select(sql`1`.as('one'))
      .where(conditionOn(by, parameter))
      .limit(sql.lit(1)),
  );
  return hasRow(by as readonly string[], any) as never;
}

export function insertRow<T extends Table, const M extends Name<T>>(table: T, members: readonly M[]) {
  const insert = statement<Values>(
    untyped((query, parameter) => query.insertInto(table as string).values(rowOf(parameter, members))),
  );
  return async (executor: Runner, row: Pick<RowOf<T>, M>): Promise<void> => {
    await executor.execute(insert, row as Values);
  };
}

/** Inserts a row, or sets `members` of the row with the same `key`. */
export function putRow<T extends Table, const K extends Name<T>, const M extends Name<T>>(
  table: T,
  key: readonly K[],
  members: readonly M[],
) {
  const put = statement<Values>(
    untyped((query, parameter) =>
      query
        .insertInto(table as string)
        .values(rowOf(parameter, [...key, ...members]))
        .onConflict((conflict) => conflict.columns(key.map(columnOf)).doUpdateSet(rowOf(parameter, members))),
    ),
  );
  return async (executor: Runner, row: Pick<RowOf<T>, K | M>): Promise<void> => {
    await executor.execute(put, row as Values);
  };
}

/** Sets `members` of the matching rows to the values in the last argument. @returns how many rows matched */
export function updateRows<T extends Table, const B extends readonly Key<T>[], const M extends Name<T>>(
  table: T,
  by: B,
  members: readonly M[],
): Run<T, B, number, [to: Pick<RowOf<T>, M>]> {
  const update = statement<Values, unknown>(
    untyped((query, parameter) =>
      query
        .updateTable(table as string)
        .set(rowOf(parameter, members))
        .where(conditionOn(by, parameter))
        .returning(sql`1`.as('one')),
    ),
  );
  return async (executor, ...values) => {
    const keys = by.map((name, index) => [name, values[index]]);
    const to = values.at(-1) as Values;
    return (await executor.execute(update, { ...to, ...Object.fromEntries(keys) })).length;
  };
}

function remove(table: string, by: readonly string[]) {
  return (query: Query, parameter: Parameter<Values>) => query.deleteFrom(table).where(conditionOn(by, parameter));
}

/** Removes the rows. @returns how many */
export function removeRows<T extends Table, const B extends readonly Key<T>[]>(table: T, by: B): Run<T, B, number> {
  const counted = untyped((...given) => remove(table, by)(...given).returning(sql`1`.as('one')));
  return countRows(by as readonly string[], counted) as never;
}

/** Like `removeRows`, but does not count the rows, so PostgreSQL's response is not awaited. */
export function discardRows<T extends Table, const B extends readonly Key<T>[]>(table: T, by: B): Run<T, B, void> {
  return command(by as readonly string[], untyped(remove(table, by))) as never;
}

/** Like `removeRows`, but returns the rows. */
export function takeRows<T extends Table, const B extends readonly Key<T>[], const M extends Name<T>>(
  table: T,
  by: B,
  members: readonly M[],
): Run<T, B, Pick<RowOf<T>, M>[]> {
  const taken = untyped((...given) => remove(table, by)(...given).returning(columnsOf(members)));
  return allRows(by as readonly string[], taken) as never;
}

/**
 * Removes the first `limit` rows in the order of `order`; any rows if `order` is empty. `rest`: the other columns
 * of the key. The conditions also apply to the removal: on PostgreSQL, a row can be replaced after its selection.
 * @returns how many
 */
export function removeSomeRows<T extends Table, const B extends readonly Key<T>[]>(
  table: T,
  by: B,
  rest: readonly Name<T>[],
  order: readonly Name<T>[] = rest,
): Run<T, B, number, [limit: number]> {
  const columns = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(columnOf(name))));
  const some = untyped((query, parameter) => {
    const matching = query
      .selectFrom(table as string)
      .select(rest.map(columnOf))
      .where(conditionOn(by, parameter));
    const sorted = order.length === 0 ? matching : matching.orderBy(columns(order));
    const first = sorted.limit(parameter('limit') as never);
    return remove(table, by)(query, parameter)
      .where(sql<boolean>`(${columns(rest)}) in ${first}`)
      .returning(sql`1`.as('one'));
  });
  return countRows([...by, 'limit'] as readonly string[], some) as never;
}
