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
import type { Tables } from './schema.ts';

/** What better-auth is given as its database. On each engine its times are ISO text and its booleans 0 and 1. */
export interface BetterAuthDatabase {
  db: Kysely<Tables>;
  type: 'sqlite';
  /** Never one: it would stay open while something else is awaited. */
  transaction: false;
}

/** What is done besides, in the transaction in which better-auth does this; `rows` are those that it gets. */
export interface Along {
  when: `${Change} ${keyof Tables}`;
  job(transaction: Executor, rows: Record<string, unknown>[]): Promise<void>;
}

type Change = 'insert' | 'update' | 'delete';

interface Call {
  along: readonly Along[];
  /** What the database failed with first. */
  fault: AppError | undefined;
}

const calls = new AsyncLocalStorage<Call>();

/**
 * Lets better-auth work.
 * @throws {AppError} `unavailable`, `storage_full`, `outcome_unknown` when the database has failed, whatever better-auth
 * makes of it: it takes some faults for a missing session or a code that is not owed; else what it throws itself
 */
export async function callBetterAuth<T>(work: () => Promise<T>, along: readonly Along[] = []): Promise<T> {
  const call: Call = { along, fault: undefined };
  try {
    return await calls.run(call, work);
  } catch (error) {
    throw call.fault ?? error;
  }
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

/** Such as `insert sessions`. */
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
  if (cause instanceof AppError) return cause;
  return new AppError('unavailable', 'The database is not available; try again.', {
    headers: { 'Retry-After': '1' },
    cause,
  });
}
