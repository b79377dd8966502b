/** The SQL of a migration. */
export interface Migration {
  sqlite: string;
  postgres: string;
  /** Runs after the search rows of all listings have been rebuilt. If this is missing, they are not rebuilt. */
  afterRebuild?: Pick<Migration, 'sqlite' | 'postgres'>;
}

/**
 * A migration that both engines share: SQLite's SQL with PostgreSQL's collations, followed by SQL that only
 * one engine needs.
 */
export function onBoth(sql: string, only: Partial<Migration> = {}): Migration {
  const sqlite = sql.replaceAll(' collate "C"', '');
  const postgres = sql.replaceAll(/\binteger\b/g, 'bigint').replaceAll(/ strict(, without rowid)?;/g, ';');
  return { sqlite: sqlite + (only.sqlite ?? ''), postgres: postgres + (only.postgres ?? '') };
}
