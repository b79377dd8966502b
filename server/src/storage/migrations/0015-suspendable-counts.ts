import type { Migration } from './migration.ts';

/**
 * On SQLite, a batch can suspend the counting of changed listings, and then change each count once. It does
 * so by inserting a row with the account number 0, which no other transaction sees.
 */
export const suspendableCounts: Migration = {
  sqlite: `
    drop trigger listing_counts_changed;
    create trigger listing_counts_changed after update of status, beds, property_type, baths on listing_facets
      when not exists (select 1 from listing_counts where account_id = 0)
    begin
      insert into listing_counts (account_id, status, beds, property_type, baths, count)
        values (new.account_id, new.status, new.beds, coalesce(new.property_type, ''), new.baths, 1)
        on conflict do update set count = count + 1;
      update listing_counts set count = count - 1
        where (account_id, status, beds, property_type, baths)
          = (old.account_id, old.status, old.beds, coalesce(old.property_type, ''), old.baths);
      delete from listing_counts
        where (account_id, status, beds, property_type, baths, count)
          = (old.account_id, old.status, old.beds, coalesce(old.property_type, ''), old.baths, 0);
    end;
  `,
  postgres: '',
};
