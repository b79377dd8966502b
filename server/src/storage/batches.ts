import type { RawBuilder } from 'kysely';
import { type Executor, type Parameter, type Statement, statement } from './database.ts';
import type { Tables } from './schema.ts';

/** Rows per statement. With this many, a statement's fixed cost is a tenth of the total. */
export const BATCH_LENGTH = 50;

/** The values of all rows, row by row, named by index. */
export type BatchValues = Record<string, string | number | null>;

export function batchRows<T>(
  columns: readonly (keyof T & string)[],
  parameter: Parameter<BatchValues>,
  length: number,
): T[] {
  const rowOf = (start: number): [string, RawBuilder<unknown>][] =>
    columns.map((column, index) => [column, parameter(String(start + index))]);
  return Array.from({ length }, (_, row) => Object.fromEntries(rowOf(row * columns.length)) as T);
}

/** The row counts of a batch's statements, so that fewer than 50 rows also need only a few statements. */
const LENGTHS = [BATCH_LENGTH, 16, 4, 1] as const;

type BatchStatement<R> = readonly { length: number; statement: Statement<BatchValues, R> }[];

export function batchStatement<R = never>(build: (length: number) => Statement<BatchValues, R>): BatchStatement<R> {
  return LENGTHS.map((length) => ({ length, statement: build(length) }));
}

/** Inserts rows with the values of `columns`, in this order. */
export function batchInsert<T extends keyof Tables>(table: T, columns: readonly (keyof Tables[T] & string)[]) {
  return batchStatement((length) =>
    statement<BatchValues>((query, parameter) =>
      query.insertInto(table).values(batchRows<Tables[T]>(columns, parameter, length) as never),
    ),
  );
}

/** Runs batch statements for rows, in order. `last` is appended to the values of each statement. */
export async function executeBatch<R>(
  executor: Executor,
  statements: BatchStatement<R>,
  rows: readonly (string | number | null | undefined)[][],
  ...last: string[]
): Promise<R[]> {
  const returned: R[] = [];
  let start = 0;
  for (const { length, statement } of statements)
    for (; start + length <= rows.length; start += length) {
      // Parameters are named by index, since an array binds four times as fast as an object with a thousand
      // members.
      const values: unknown[] = [];
      for (let index = start; index < start + length; index += 1) values.push(...(rows[index] ?? []));
      values.push(...last);
      returned.push(...(await executor.execute(statement, values as unknown as BatchValues)));
    }
  return returned;
}
