import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { randomWord } from '../../lib/ids.ts';
import { AppError } from '../../model/errors.ts';
import type { Executor, Statement } from '../database.ts';
import { EPOCH_LENGTH, MIGRATIONS, SCHEMA_VERSION, tooNew } from '../migrations.ts';
import { rebuildListings, type TellProgress } from '../rebuild.ts';
import { compiler, send, toQuery, toRows } from './connection.ts';
import { distribute, hasCitus, isDistributed } from './distribute.ts';
import { isAway } from './errors.ts';

/** The arbitrary key of the advisory lock that a migration holds until its commit. */
const MIGRATION_LOCK = 7_236_113;
/**
 * Finds the service's two oldest tables. If only one of them exists, it belongs to another program.
 * `to_regclass` would not see the commits of another process during the wait for the lock.
 */
const FIND_TABLES =
  "select 1 from pg_class where relname in ('schema_version', 'database_info') and pg_table_is_visible(oid)";
/** How long to wait for another process's migration. */
const LOCK_TIMEOUT_MS = 30_000;
/** A migration that reads all documents takes an hour per terabyte. */
const MIGRATION_TIMEOUT_MS = 3_600_000;

/**
 * Migrates the tables in one transaction under a lock; safe when many processes start at once.
 * @throws {AppError} `unavailable` with a message for the operator if the tables are from a newer release or
 * cannot be migrated
 */
export async function migrate(client: pg.ClientBase, name: string, tell: TellProgress): Promise<void> {
  if ((await readVersion(client)) === SCHEMA_VERSION) return;
  const run = (text: string, values: unknown[] = []) => send(client, { text, values, timeoutMs: LOCK_TIMEOUT_MS });
  await run(`begin; set local statement_timeout = ${LOCK_TIMEOUT_MS}; set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    await run('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const version = await readVersion(client);
    if (version > SCHEMA_VERSION) throw tooNew(name, version);
    if (version === 0) await requireUtf8(client);
    // A migration can read all documents, so it must not time out on the server. On Citus, it uses one
    // machine at a time, since its transaction also alters the tables.
    await run("set local statement_timeout = 0; set local citus.multi_shard_modify_mode = 'sequential'");
    for (const { postgres: text, afterRebuild } of MIGRATIONS.slice(version)) {
      await send(client, { text, timeoutMs: MIGRATION_TIMEOUT_MS });
      if (afterRebuild === undefined) continue;
      await rebuildListings(executorOn(client), 'listings', tell);
      await send(client, { text: afterRebuild.postgres, timeoutMs: MIGRATION_TIMEOUT_MS });
    }
    if (version === 0) {
      const values = [randomWord(EPOCH_LENGTH), randomBytes(32).toString('hex'), Date.now()];
      await run('insert into database_info (id, epoch, cursor_secret, created_at) values (1, $1, $2, $3)', values);
      await run('create table schema_version (version integer not null)');
      await run('insert into schema_version values (0)');
    }
    await run('update schema_version set version = $1', [SCHEMA_VERSION]);
    // New tables are distributed while they are empty.
    if ((await hasCitus(client)) && (version === 0 || (await isDistributed(client)))) await distribute(client);
    await run('commit');
  } catch (error) {
    await run('rollback').catch(() => {});
    if (error instanceof AppError || isAway(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('unavailable', `Cannot migrate the tables of ${name}: ${reason}.`, { cause: error });
  }
}

function executorOn(client: pg.ClientBase): Executor {
  const run = async <P, R>(statement: Statement<P, R>, parameters: P) => {
    const compiled = compiler.compile(statement);
    return toRows(
      compiled,
      await send(client, { ...toQuery(compiled, parameters, false), timeoutMs: MIGRATION_TIMEOUT_MS }),
    ) as R[];
  };
  return {
    execute: run,
    executeRun: async (statement, parameters) => ({ rows: await run(statement, parameters), isCut: false }),
  };
}

/** Requires UTF-8, since other encodings cannot store all characters. @throws {AppError} `unavailable` */
async function requireUtf8(client: pg.ClientBase): Promise<void> {
  const { rows } = await send(client, { text: 'show server_encoding' });
  const encoding = rows[0]?.[0];
  if (encoding === 'UTF8') return;
  const message = `The database has the encoding ${encoding}; create one with "create database … encoding 'UTF8' template template0".`;
  throw new AppError('unavailable', message);
}

/** The schema's version; 0 if there are no tables. */
export async function readVersion(client: pg.ClientBase): Promise<number> {
  const { rows } = await send(client, { text: FIND_TABLES });
  if (rows.length < 2) return 0;
  const stored = await send(client, { text: 'select version from schema_version' });
  return Number(stored.rows[0]?.[0]);
}
