import { type CompiledQuery, DummyDriver, Kysely, sql } from 'kysely';
import type { EngineSql, Parameter, QueryBuild, QueryBuilder, QueryDialect, Statement } from './database.ts';
import type { Tables } from './schema.ts';

export interface CompiledStatement {
  sql: string;
  /** Whether the statement only reads. */
  isQuery: boolean;
  returnsRows: boolean;
  /** Returns the values in the order of the placeholders. */
  bind(parameters: unknown): unknown[];
}

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export class StatementCompiler {
  readonly #query: QueryBuilder;
  readonly #engine: EngineSql;
  readonly #compiled = new WeakMap<object, CompiledStatement>();

  constructor(dialect: QueryDialect, engine: EngineSql) {
    this.#query = new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new DummyDriver() } });
    this.#engine = engine;
  }

  compileQuery<R>(build: QueryBuild<R>): CompiledQuery<R> {
    return build(this.#query, this.#engine).compile();
  }

  compile<P, R>(statement: Statement<P, R>): CompiledStatement {
    let compiled = this.#compiled.get(statement);
    if (compiled === undefined) {
      const parameter: Parameter<P> = (name) => sql`${sql.val(new Placeholder(name))}`;
      compiled = withNamedParameters(statement.build(this.#query, parameter, this.#engine).compile());
      this.#compiled.set(statement, compiled);
    }
    return compiled;
  }
}

/** V8 takes 400 MB to optimize generated code with a thousand parameters. */
const GENERATED_MAX = 100;

/**
 * Compiles a query with named parameters; missing parameters are null. Like the row mapper below, `bind` is
 * generated code: loops over names took three times as long.
 */
function withNamedParameters({ sql, parameters, query }: CompiledQuery): CompiledStatement {
  const slots = parameters.map((slot) =>
    slot instanceof Placeholder ? `parameters[${JSON.stringify(slot.name)}] ?? null` : JSON.stringify(slot),
  );
  const bind =
    slots.length > GENERATED_MAX ? bindInLoop(parameters) : new Function('parameters', `return [${slots.join(', ')}]`);
  const isQuery = query.kind === 'SelectQueryNode';
  const returnsRows = isQuery || query.kind === 'RawNode' || ('returning' in query && query.returning !== undefined);
  return { sql, isQuery, returnsRows, bind: (parameters) => bind(parameters) };
}

/** Used for batches, whose parameters are named by index. */
function bindInLoop(slots: readonly unknown[]) {
  const names = slots.map((slot) => (slot instanceof Placeholder ? slot.name : undefined));
  const places = names.map((name) => (name !== undefined && /^\d+$/.test(name) ? Number(name) : name));
  return (parameters: Record<string | number, unknown>) =>
    places.map((place, index) => (place === undefined ? slots[index] : (parameters[place] ?? null)));
}

export type RowMapper = (values: unknown[]) => unknown;

export function rowMapper(columns: string[]): RowMapper {
  const members = columns.map((column, index) => `${JSON.stringify(column)}: values[${index}]`);
  const toRow = new Function('values', `return { ${members.join(', ')} }`);
  return (values) => toRow(values);
}

/** There is one mapper per list of columns, and few such lists. */
const MAPPERS_MAX = 100;
const mappers = new Map<string, RowMapper>();

/** Like `rowMapper`, but cached for queries that are built per request. */
export function cachedRowMapper(columns: string[]): RowMapper {
  const key = JSON.stringify(columns);
  const known = mappers.get(key);
  if (known !== undefined) return known;
  const mapper = rowMapper(columns);
  if (mappers.size === MAPPERS_MAX) mappers.clear();
  mappers.set(key, mapper);
  return mapper;
}

/** The number of UTF-8 bytes in the strings of a row. */
export function textBytes(values: unknown[]): number {
  let bytes = 0;
  for (const value of values) if (typeof value === 'string') bytes += Buffer.byteLength(value);
  return bytes;
}
