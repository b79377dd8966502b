export interface Migration {
  sqlite: string;
  postgres: string;
  /** Runs after the search rows of all listings have been rebuilt. If this is missing, they are not rebuilt. */
  afterRebuild?: Pick<Migration, 'sqlite' | 'postgres'>;
}

/** SQL for both engines, written for SQLite with PostgreSQL's collations, and SQL that only one of them needs. */
export function onBoth(sql: string, only: Partial<Migration> = {}): Migration {
  const sqlite = sql.replaceAll(' collate "C"', '');
  const postgres = sql.replaceAll(/\binteger\b/g, 'bigint').replaceAll(/ strict(, without rowid)?;/g, ';');
  return { sqlite: sqlite + (only.sqlite ?? ''), postgres: postgres + (only.postgres ?? '') };
}
