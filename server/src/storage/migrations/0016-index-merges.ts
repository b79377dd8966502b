import type { Migration } from './migration.ts';

/**
 * On SQLite, FTS5 merged segments of the index within whichever write added one too many, for up to 40 ms.
 * Now the service merges them in small steps (sqlite/listing-index.ts). Until they are merged, the index can
 * have more segments.
 */
export const indexMerges: Migration = {
  sqlite: `
    insert into listing_index (listing_index, rank) values ('automerge', 0);
    insert into listing_index (listing_index, rank) values ('crisismerge', 64);
  `,
  postgres: '',
};
