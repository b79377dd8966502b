import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type Inspection, SELECT_CONTENT, type TableSize, toContent } from '../inspection.ts';
import { SCHEMA_VERSION } from '../migrations.ts';
import { requireDirectory } from './database-file.ts';

/** @returns undefined if there is no file @throws {AppError} if its directory cannot be created */
export function inspectSqlite(path: string, withTables: boolean): Inspection | undefined {
  requireDirectory(dirname(path));
  if (!existsSync(path)) return undefined;
  using database = openUnchanged(path);
  const schemaVersion = Number(database.prepare('pragma user_version').get()?.user_version);
  const version = database.prepare('select sqlite_version() as version').get();
  return {
    name: path,
    engineVersion: `SQLite ${version?.version}`,
    schemaVersion,
    ...(schemaVersion === SCHEMA_VERSION && { content: toContent(database.prepare(SELECT_CONTENT).get() ?? {}) }),
    tables: withTables ? measureTables(database) : [],
  };
}

/**
 * Opens a database without changing its files: SQLite would create a missing log even to read. Without a log,
 * no process uses the database, so it does not change while it is read.
 */
function openUnchanged(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  if (!existsSync(`${path}-shm`)) url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

function measureTables(database: DatabaseSync): TableSize[] {
  const tables = database
    .prepare(
      `select tbl_name as name, sum(pgsize) as bytes from dbstat inner join sqlite_schema using (name)
        where aggregate = true group by tbl_name order by bytes desc`,
    )
    .all();
  return tables.map(({ name, bytes }) => {
    const counted = database.prepare(`select count(*) as rows from "${name}"`).get();
    return { name: String(name), rows: Number(counted?.rows), bytes: Number(bytes) };
  });
}
