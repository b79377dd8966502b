import type { Migration } from './migration.ts';

/**
 * On SQLite, FTS5 merged parts of the index within the write that made them too many, for up to 40 ms. Now the service
 * merges them in small steps (sqlite/listing-index.ts). Until it has, there can be more parts.
 */
export const indexMerges: Migration = {
  sqlite: `
    insert into listing_index (listing_index, rank) values ('automerge', 0);
    insert into listing_index (listing_index, rank) values ('crisismerge', 64);
  `,
  postgres: '',
};
