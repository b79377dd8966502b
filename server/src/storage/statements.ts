import { type CompiledQuery, type Dialect, Kysely, sql } from 'kysely';
import type { Parameter, QueryBuilder, Statement } from './database.ts';
import type { Tables } from './schema.ts';

export interface CompiledStatement {
  sql: string;
  /** Whether it only reads. */
  isQuery: boolean;
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
  /** Builds queries for this engine. */
  readonly query: QueryBuilder;
  readonly #compiled = new WeakMap<object, CompiledStatement>();

  constructor(dialect: Dialect) {
    this.query = new Kysely<Tables>({ dialect });
  }

  compile<P, R>(statement: Statement<P, R>): CompiledStatement {
    let compiled = this.#compiled.get(statement);
    if (compiled === undefined) {
      const parameter: Parameter<P> = (name) => sql`${sql.val(new Placeholder(name))}`;
      compiled = withNamedParameters(statement.build(this.query, parameter).compile());
      this.#compiled.set(statement, compiled);
    }
    return compiled;
  }
}

/** The binding is generated code, like the row's below: with loops over names both took three times as long. */
function withNamedParameters({ sql, parameters, query }: CompiledQuery): CompiledStatement {
  const slots = parameters.map((slot) =>
    slot instanceof Placeholder ? `given[${JSON.stringify(slot.name)}]` : JSON.stringify(slot),
  );
  const bind = new Function('given', `return [${slots.join(', ')}]`);
  return { sql, isQuery: query.kind === 'SelectQueryNode', bind: (parameters) => bind(parameters) };
}

/** Turns the values of a row into an object. */
export type RowMapper = (values: unknown[]) => unknown;

/** Makes the mapper of rows with these columns, in their order. */
export function rowMapper(columns: string[]): RowMapper {
  const members = columns.map((column, index) => `${JSON.stringify(column)}: values[${index}]`);
  const toRow = new Function('values', `return { ${members.join(', ')} }`);
  return (values) => toRow(values);
}
