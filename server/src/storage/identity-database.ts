import { type CompiledQuery, type DatabaseConnection, DummyDriver, Kysely, type QueryResult } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** What better-auth is given as its database. On each engine its times are ISO text and its booleans 0 and 1. */
export interface BetterAuthDatabase {
  db: Kysely<Tables>;
  type: 'sqlite';
  /** Never one: it would stay open while something else is awaited. */
  transaction: false;
}

/** The service's own database for better-auth: it reads as everybody does, and each of its writes is one in the queue. */
export function openForBetterAuth(database: Database): BetterAuthDatabase {
  const dialect = { ...database.dialect, createDriver: () => new DatabaseDriver(database) };
  return { db: new Kysely<Tables>({ dialect }), type: 'sqlite', transaction: false };
}

class DatabaseDriver extends DummyDriver {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const database = this.#database;
    return {
      executeQuery: <R>(query: CompiledQuery) => run<R>(database, query),
      streamQuery() {
        throw new Error('better-auth streams nothing');
      },
    };
  }

  override async beginTransaction(): Promise<void> {
    throw new Error('better-auth has no transactions here');
  }
}

async function run<R>(database: Database, query: CompiledQuery): Promise<QueryResult<R>> {
  const statement = { build: () => ({ compile: () => query as CompiledQuery<R> }) };
  const isQuery = query.query.kind === 'SelectQueryNode';
  const rows = isQuery
    ? await database.execute(statement, {})
    : await database.write((session) => session.execute(statement, {}));
  return { rows };
}
