import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { randomWord } from '../../lib/ids.ts';
import { AppError } from '../../model/errors.ts';
import { EPOCH_LENGTH, MIGRATIONS, SCHEMA_VERSION, tooNew } from '../migrations.ts';
import { send } from './connection.ts';
import { distribute, hasCitus, isDistributed } from './distribute.ts';
import { isAway } from './errors.ts';

/** An advisory lock of ours (any number): who migrates holds it until the commit. */
const MIGRATION_LOCK = 7_236_113;
/**
 * One of them alone is another program's. `to_regclass` would not see what another process has committed while this one
 * waited for the lock.
 */
const FIND_TABLES =
  "select 1 from pg_class where relname in ('schema_version', 'database_info') and pg_table_is_visible(oid)";
/** How long a process that starts waits for another one that migrates. */
const LOCK_TIMEOUT_MS = 30_000;
/** What reads all documents once may take an hour: about a terabyte. */
const MIGRATION_TIMEOUT_MS = 3_600_000;

/**
 * Brings the tables up to date in one transaction under a lock; safe when many processes start at once.
 * @throws {AppError} `unavailable` with words for the operator: the tables are of a newer version, or cannot be made
 */
export async function migrate(client: pg.ClientBase, name: string): Promise<void> {
  if ((await readVersion(client)) === SCHEMA_VERSION) return;
  const run = (text: string, values: unknown[] = []) => send(client, { text, values, timeoutMs: LOCK_TIMEOUT_MS });
  await run(`begin; set local statement_timeout = ${LOCK_TIMEOUT_MS}; set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    await run('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const version = await readVersion(client);
    if (version > SCHEMA_VERSION) throw tooNew(name, version);
    if (version === 0) await requireUtf8(client);
    for (const { postgres: text } of MIGRATIONS.slice(version))
      await send(client, { text, timeoutMs: MIGRATION_TIMEOUT_MS });
    if (version === 0) {
      const values = [randomWord(EPOCH_LENGTH), randomBytes(32).toString('hex'), Date.now()];
      await run('insert into database_info (id, epoch, cursor_secret, created_at) values (1, $1, $2, $3)', values);
      await run('create table schema_version (version integer not null)');
      await run('insert into schema_version values (0)');
    }
    await run('update schema_version set version = $1', [SCHEMA_VERSION]);
    // New tables while nothing has to be moved.
    if ((await hasCitus(client)) && (version === 0 || (await isDistributed(client)))) await distribute(client);
    await run('commit');
  } catch (error) {
    await run('rollback').catch(() => {});
    if (error instanceof AppError || isAway(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('unavailable', `Cannot bring the tables of ${name} up to date: ${reason}.`, { cause: error });
  }
}

/** In other encodings there are characters that cannot be stored. @throws {AppError} `unavailable` */
async function requireUtf8(client: pg.ClientBase): Promise<void> {
  const { rows } = await send(client, { text: 'show server_encoding' });
  const encoding = rows[0]?.[0];
  if (encoding === 'UTF8') return;
  const message = `The database has the encoding ${encoding}: make one by "create database … encoding 'UTF8' template template0".`;
  throw new AppError('unavailable', message);
}

/** 0 for a database without our tables. */
async function readVersion(client: pg.ClientBase): Promise<number> {
  const { rows } = await send(client, { text: FIND_TABLES });
  if (rows.length < 2) return 0;
  const answer = await send(client, { text: 'select version from schema_version' });
  return Number(answer.rows[0]?.[0]);
}
