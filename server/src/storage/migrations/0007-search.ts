/**
 * Indexes for searches. Search data is rebuilt from documents (storage/rebuild.ts). On SQLite, the listings are also
 * copied to a new table.
 */
export const search = {
  sqlite: `
    -- The id of the account's newest listing. The next one gets a greater id.
    alter table account_heads add column newest_id text not null default '';
    update account_heads set newest_id = coalesce(
      (select max(id) from listings where listings.account_id = account_heads.account_id), '');

    -- Short keys for accounts in the indexes.
    create table account_numbers (
      number integer primary key autoincrement,
      account_id text not null unique references accounts (id) on delete cascade
    ) strict;
    insert into account_numbers (account_id) select id from accounts;
    create trigger accounts_number after insert on accounts begin
      insert into account_numbers (account_id) values (new.id);
    end;

    drop table listing_words;
    drop table listing_facets;

    -- Documents are found by short keys. An account's numbers grow with its ids. No number is used again: the index
    -- may still contain the terms of a deleted listing.
    alter table listings rename to former_listings;
    create table listings (
      number integer primary key autoincrement,
      account_id text not null references accounts (id) on delete cascade,
      id text not null,
      version integer not null,
      sequence integer not null,
      terms text not null,
      doc text not null,
      unique (account_id, id)
    ) strict;

    -- The columns that searches read, with the listings' numbers.
    create table listing_facets (
      number integer primary key,
      account_id integer not null references account_numbers (number) on delete cascade,
      id text not null,
      external_id text,
      feed text,
      status text not null,
      property_type text,
      city text,
      state_or_province text,
      postal_code text,
      country text,
      beds integer not null,
      baths integer not null,
      list_price real,
      close_price real,
      living_area real,
      lot_size_area real,
      year_built integer,
      on_market_date text,
      close_date text,
      latitude real,
      longitude real,
      created_at text not null,
      updated_at text not null
    ) strict;

    -- How many listings have the same values. Without a type, \`property_type\` is empty.
    create table listing_counts (
      account_id integer not null,
      status text not null,
      beds integer not null,
      property_type text not null,
      baths integer not null,
      count integer not null,
      primary key (account_id, status, beds, property_type, baths)
    ) strict, without rowid;
    -- Terms, each after the number of its account. Only the index is stored, not the terms.
    create virtual table listing_index using fts5 (
      terms, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'none'
    );
    -- A commit can merge a number of the index's pages, which takes less time if the pages are small.
    insert into listing_index (listing_index, rank) values ('pgsz', 500);
    create virtual table listing_index_terms using fts5vocab (listing_index, 'instance');

    -- Listings whose terms have changed since they were indexed.
    create table unindexed_listings (
      number integer primary key,
      account_id integer not null
    ) strict;
  `,
  postgres: `
    -- The id of the account's newest listing. The next one gets a greater id.
    alter table account_heads add column newest_id text collate "C" not null default '';
    update account_heads set newest_id = newest.id
      from (select account_id, max(id) as id from listings group by account_id) as newest
      where newest.account_id = account_heads.account_id;

    drop table listing_words;
    delete from listing_facets;
    alter table listing_facets drop column search_row;
    alter table listing_facets add column feed text collate "C";
    alter table listing_facets add column state_or_province text collate "C";
    alter table listing_facets add column country text collate "C";
    alter table listing_facets add column close_price double precision;
    alter table listing_facets add column lot_size_area double precision;
    alter table listing_facets add column on_market_date text collate "C";
    alter table listing_facets add column close_date text collate "C";
    -- Each term follows the account's tag.
    alter table listing_facets add column terms tsvector not null;
  `,
  afterRebuild: {
    sqlite: `
    drop table former_listings;

    insert into listing_counts (account_id, status, beds, property_type, baths, count)
      select account_id, status, beds, coalesce(property_type, ''), baths, count(*) from listing_facets group by 1, 2, 3, 4, 5;
    create trigger listing_counts_inserted after insert on listing_facets begin
      insert into listing_counts (account_id, status, beds, property_type, baths, count)
        values (new.account_id, new.status, new.beds, coalesce(new.property_type, ''), new.baths, 1)
        on conflict do update set count = count + 1;
    end;
    create trigger listing_counts_deleted after delete on listing_facets begin
      update listing_counts set count = count - 1
        where (account_id, status, beds, property_type, baths)
          = (old.account_id, old.status, old.beds, coalesce(old.property_type, ''), old.baths);
      delete from listing_counts
        where (account_id, status, beds, property_type, baths, count)
          = (old.account_id, old.status, old.beds, coalesce(old.property_type, ''), old.baths, 0);
    end;
    create trigger listing_counts_changed after update of status, beds, property_type, baths on listing_facets begin
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

    create trigger listing_facets_inserted after insert on listing_facets begin
      insert into unindexed_listings (number, account_id) values (new.number, new.account_id)
        on conflict (number) do nothing;
    end;
    create trigger listings_changed after update of terms on listings when old.terms <> new.terms begin
      insert into unindexed_listings (number, account_id)
        select number, account_id from listing_facets where number = new.number
        on conflict (number) do nothing;
    end;
    create trigger listing_facets_deleted after delete on listing_facets begin
      insert into unindexed_listings (number, account_id) values (old.number, old.account_id)
        on conflict (number) do nothing;
    end;
    create trigger listings_deleted after delete on listings begin
      delete from listing_facets where number = old.number;
    end;
    create unique index listing_facets_id on listing_facets (account_id, id);
    create unique index listing_facets_external_id on listing_facets (account_id, external_id)
      where external_id is not null;
    create index listing_facets_list_price on listing_facets (account_id, list_price);
    create index listing_facets_close_price on listing_facets (account_id, close_price);
    create index listing_facets_living_area on listing_facets (account_id, living_area);
    create index listing_facets_on_market_date on listing_facets (account_id, on_market_date);
    create index listing_facets_created_at on listing_facets (account_id, created_at);
    create index listing_facets_updated_at on listing_facets (account_id, updated_at);
    `,
    postgres: `
    create index listing_facets_counts on listing_facets (account_id, status, beds, property_type, baths);
    create index listing_facets_beds on listing_facets (account_id, beds, id);
    create index listing_facets_baths on listing_facets (account_id, baths, id);
    create index listing_facets_list_price on listing_facets (account_id, list_price, id);
    create index listing_facets_close_price on listing_facets (account_id, close_price, id);
    create index listing_facets_living_area on listing_facets (account_id, living_area, id);
    create index listing_facets_on_market_date on listing_facets (account_id, on_market_date, id);
    create index listing_facets_created_at on listing_facets (account_id, created_at, id);
    create index listing_facets_updated_at on listing_facets (account_id, updated_at, id);
    -- Lists are not sorted by these columns.
    create index listing_facets_lot_size_area on listing_facets (account_id, lot_size_area)
      where lot_size_area is not null;
    create index listing_facets_year_built on listing_facets (account_id, year_built)
      where year_built is not null;
    create index listing_facets_close_date on listing_facets (account_id, close_date)
      where close_date is not null;
    create index listing_facets_terms on listing_facets using gin (terms);
    `,
  },
};
