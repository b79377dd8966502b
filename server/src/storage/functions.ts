import type { RawBuilder } from 'kysely';
import { type Executor, type Parameter, type Statement, statement } from './database.ts';
import type { Snake } from './schema.ts';

// Each of these functions declares a statement and returns a function that runs the statement. The arguments
// of the returned function are an executor and the named parameters, in order; for tenant data, `accountId`
// comes first.

type Build<P, R> = Statement<P, R>['build'];
/** Not callable if `N` lacks a parameter of the statement. */
type Values<P, N extends readonly string[]> = [keyof P] extends [N[number]]
  ? { [I in keyof N]: N[I] extends keyof P ? P[N[I]] : never }
  : never;

export function allRows<P, R, const N extends readonly string[]>(names: N, build: Build<P, R>) {
  const declared = statement(build);
  return (executor: Pick<Executor, 'execute'>, ...values: Values<P, N>): Promise<R[]> => {
    const parameters: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) parameters[name] = values[index];
    return executor.execute(declared, parameters as P);
  };
}

export function firstRow<P, R, const N extends readonly string[]>(names: N, build: Build<P, R>) {
  const find = allRows(names, build);
  return async (executor: Executor, ...values: Values<P, N>): Promise<R | undefined> => {
    const [row] = await find(executor, ...values);
    return row;
  };
}

export function countRows<P, R, const N extends readonly string[]>(names: N, build: Build<P, R>) {
  const find = allRows(names, build);
  return async (executor: Pick<Executor, 'execute'>, ...values: Values<P, N>) =>
    (await find(executor, ...values)).length;
}

export function hasRow<P, R, const N extends readonly string[]>(names: N, build: Build<P, R>) {
  const find = allRows(names, build);
  return async (executor: Executor, ...values: Values<P, N>) => (await find(executor, ...values)).length > 0;
}

export function command<P, const N extends readonly string[]>(names: N, build: Build<P, never>) {
  const run = allRows(names, build);
  return async (executor: Executor, ...values: Values<P, N>): Promise<void> => {
    await run(executor, ...values);
  };
}

/** The column for a name in TypeScript: `created_at` for `createdAt`. */
export function columnOf<N extends string>(name: N): Snake<N> {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`) as Snake<N>;
}

/** Selects each column under its name in TypeScript, such as `created_at as createdAt`. */
export function columnsOf<const N extends string>(names: readonly N[]) {
  const columns = names.map((name) => (columnOf(name) === name ? name : `${columnOf(name)} as ${name}`));
  return columns as { [K in N]: K extends Snake<K> ? K : `${Snake<K>} as ${K}` }[N][];
}

/** A row with each parameter in the column of the same name. */
export function rowOf<P, K extends keyof P & string>(parameter: Parameter<P>, names: readonly K[]) {
  const row = Object.fromEntries(names.map((name) => [columnOf(name), parameter(name)]));
  return row as { [N in K as Snake<N>]: RawBuilder<P[N]> };
}
