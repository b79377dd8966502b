import type { Migration } from './migration.ts';

/**
 * On SQLite, FTS5 used to merge segments of the index during whichever write added one too many, which took
 * up to 40 ms. Now the service merges segments in small steps (sqlite/listing-index.ts), so the index can
 * temporarily have more of them.
 */
export const indexMerges: Migration = {
  sqlite: `
    insert into listing_index (listing_index, rank) values ('automerge', 0);
    insert into listing_index (listing_index, rank) values ('crisismerge', 64);
  `,
  postgres: '',
};
