import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  type OperationNode,
  type QueryResult,
  TableNode,
} from 'kysely';
import { AppError } from '../model/errors.ts';
import type { Database, Executor } from './database.ts';
import { unavailable } from './errors.ts';
import type { Tables } from './schema.ts';

/** The database as better-auth expects it. On both engines, times are ISO 8601 strings, and booleans are 0 and 1. */
export interface BetterAuthDatabase {
  db: Kysely<Tables>;
  type: 'sqlite';
  /** Disabled, since a transaction would stay open while better-auth awaits something else. */
  transaction: false;
}

/** A job that runs in the transaction of a change by better-auth. `rows` are the rows that the change returned. */
export interface Along {
  when: `${Change} ${keyof Tables}`;
  job(transaction: Executor, rows: Record<string, unknown>[]): Promise<void>;
}

type Change = 'insert' | 'update' | 'delete';

interface Call {
  along: readonly Along[];
  /** The first error from the database. */
  fault: AppError | undefined;
}

const calls = new AsyncLocalStorage<Call>();

/**
 * Runs a call to better-auth, and each job of `along` in the transaction of the change that it belongs to.
 * @throws {AppError} `unavailable`, `storage_full`, or `outcome_unknown` if the database failed, even if
 * better-auth reports a missing session or another error instead; otherwise, what better-auth throws
 */
export async function callBetterAuth<T>(work: () => Promise<T>, along: readonly Along[] = []): Promise<T> {
  const call: Call = { along, fault: undefined };
  try {
    return await calls.run(call, work);
  } catch (error) {
    throw call.fault ?? error;
  }
}

/** Lets better-auth use the service's database. Each write by better-auth goes through the write queue. */
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
        throw new Error('better-auth must not stream');
      },
    };
  }

  override async beginTransaction(): Promise<void> {
    throw new Error('better-auth must not use transactions');
  }
}

async function run<R>(database: Database, query: CompiledQuery): Promise<QueryResult<R>> {
  const call = calls.getStore();
  const statement = { build: () => ({ compile: () => query as CompiledQuery<R> }) };
  try {
    if (query.query.kind === 'SelectQueryNode') return { rows: await database.execute(statement, {}) };
    const change = changeOf(query);
    const along = call?.along.filter(({ when }) => when === change) ?? [];
    return await database.write(async (transaction) => {
      const rows = await transaction.execute(statement, {});
      for (const { job } of along) await job(transaction, rows as Record<string, unknown>[]);
      return { rows };
    });
  } catch (error) {
    if (call !== undefined) call.fault ??= toFault(error);
    throw error;
  }
}

/** The kind of change and its table, such as `insert sessions`. */
function changeOf({ query }: CompiledQuery): string | undefined {
  if (query.kind === 'InsertQueryNode') return `insert ${tableOf(query.into)}`;
  if (query.kind === 'UpdateQueryNode') return `update ${tableOf(query.table)}`;
  if (query.kind === 'DeleteQueryNode') return `delete ${tableOf(query.from.froms[0])}`;
  return undefined;
}

function tableOf(node: OperationNode | undefined): string | undefined {
  return node && TableNode.is(node) ? node.table.identifier.name : undefined;
}

function toFault(cause: unknown): AppError {
  return cause instanceof AppError ? cause : unavailable('The database is not available; try again.', cause);
}
