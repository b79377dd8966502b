import { type CompiledQuery, DummyDriver, Kysely, sql } from 'kysely';
import type { EngineSql, Parameter, QueryBuild, QueryBuilder, QueryDialect, Statement } from './database.ts';
import type { Tables } from './schema.ts';

export interface CompiledStatement {
  sql: string;
  /** Whether it only reads. */
  isQuery: boolean;
  /** Whether its answer has rows. */
  givesRows: boolean;
  /** The values in the order of the placeholders. */
  bind(parameters: unknown): unknown[];
}

/** Marks the place of a named parameter in a compiled query. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Compiles statements for one engine, each once. */
export class StatementCompiler {
  readonly #query: QueryBuilder;
  readonly #engine: EngineSql;
  readonly #compiled = new WeakMap<object, CompiledStatement>();

  constructor(dialect: QueryDialect, engine: EngineSql) {
    this.#query = new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new DummyDriver() } });
    this.#engine = engine;
  }

  /** Compiles a query that is made for one request. */
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

/**
 * What is not given is null. The binding is generated code, like the row's below: with loops over names both took three
 * times as long.
 */
function withNamedParameters({ sql, parameters, query }: CompiledQuery): CompiledStatement {
  const slots = parameters.map((slot) =>
    slot instanceof Placeholder ? `given[${JSON.stringify(slot.name)}] ?? null` : JSON.stringify(slot),
  );
  const bind = new Function('given', `return [${slots.join(', ')}]`);
  const isQuery = query.kind === 'SelectQueryNode';
  const givesRows = isQuery || query.kind === 'RawNode' || ('returning' in query && query.returning !== undefined);
  return { sql, isQuery, givesRows, bind: (parameters) => bind(parameters) };
}

/** Turns the values of a row into an object. */
export type RowMapper = (values: unknown[]) => unknown;

/** Makes the mapper of rows with these columns, in their order. */
export function rowMapper(columns: string[]): RowMapper {
  const members = columns.map((column, index) => `${JSON.stringify(column)}: values[${index}]`);
  const toRow = new Function('values', `return { ${members.join(', ')} }`);
  return (values) => toRow(values);
}

/** Code is generated for each list of columns: there are few, and they come again and again. */
const MAPPERS_MAX = 100;
const mappers = new Map<string, RowMapper>();

/** The mapper of rows with these columns, for queries that are made for one request. */
export function keptRowMapper(columns: string[]): RowMapper {
  const key = JSON.stringify(columns);
  const known = mappers.get(key);
  if (known !== undefined) return known;
  const mapper = rowMapper(columns);
  if (mappers.size === MAPPERS_MAX) mappers.clear();
  mappers.set(key, mapper);
  return mapper;
}
