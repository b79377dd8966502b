import { type CompiledQuery, type Dialect, Kysely, sql } from 'kysely';
import type { Parameter, QueryBuilder, Statement } from './database.ts';
import type { Tables } from './schema.ts';

export interface CompiledStatement {
  sql: string;
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
  readonly #compiled = new WeakMap<object, CompiledStatement>();

  constructor(dialect: Dialect) {
    this.#query = new Kysely<Tables>({ dialect });
  }

  compile<P, R>(statement: Statement<P, R>): CompiledStatement {
    let compiled = this.#compiled.get(statement);
    if (compiled === undefined) {
      const parameter: Parameter<P> = (name) => sql`${sql.val(new Placeholder(name))}`;
      compiled = withNamedParameters(statement.build(this.#query, parameter).compile());
      this.#compiled.set(statement, compiled);
    }
    return compiled;
  }
}

function withNamedParameters(query: CompiledQuery): CompiledStatement {
  const slots = query.parameters;
  return {
    sql: query.sql,
    bind(parameters) {
      const values = Object(parameters);
      return slots.map((slot) => (slot instanceof Placeholder ? values[slot.name] : slot));
    },
  };
}
