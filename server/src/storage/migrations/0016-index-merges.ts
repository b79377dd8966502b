import type { Migration } from './migration.ts';

/**
 * On SQLite, FTS5 used to merge segments of the index during the write that added one too many, which delayed this
 * write by up to 40 ms. Now the service merges segments in small steps (sqlite/listing-index.ts), so the index can
 * temporarily have more segments.
 */
export const indexMerges: Migration = {
  sqlite: `
    insert into listing_index (listing_index, rank) values ('automerge', 0);
    insert into listing_index (listing_index, rank) values ('crisismerge', 64);
  `,
  postgres: '',
};
