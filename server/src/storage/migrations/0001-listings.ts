import { onBoth } from './migration.ts';

export const listings = onBoth(
  `
  create table database_info (
    id integer primary key check (id = 1),
    epoch text not null,
    cursor_secret text not null,
    created_at integer not null
  ) strict;

  create table accounts (
    id text collate "C" primary key,
    name text not null,
    currency text not null,
    area_units text not null,
    created_at integer not null
  ) strict, without rowid;

  create table account_heads (
    account_id text collate "C" primary key references accounts (id) on delete cascade,
    sequence integer not null,
    listing_count integer not null
  ) strict, without rowid;

  -- An event gets its document once a later change replaces it in \`listings\`. The \`doc\` column is last, since
  -- reading a column after a long text means reading the text.
  create table events (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    sequence integer not null,
    type text not null,
    listing_id text collate "C" not null,
    changed text,
    created_at integer not null,
    doc text,
    primary key (account_id, sequence)
  ) strict, without rowid;

  create table idempotency_keys (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    key text collate "C" not null,
    fingerprint text not null,
    outcome text not null,
    expires_at integer not null,
    primary key (account_id, key)
  ) strict, without rowid;

  create index idempotency_keys_expires_at on idempotency_keys (expires_at);

  -- Keys are looked up by hash on each request, and by id only for management.
  create table api_keys (
    hash text collate "C" primary key,
    id text collate "C" not null unique,
    account_id text collate "C" not null references accounts (id) on delete cascade,
    name text not null,
    access text not null check (access in ('full', 'read')),
    start text not null,
    created_by text,
    created_at integer not null,
    expires_at integer,
    last_used_at integer
  ) strict, without rowid;

  create index api_keys_account_id on api_keys (account_id, id);
`,
  {
    sqlite: `
      create table listings (
        account_id text not null references accounts (id) on delete cascade,
        id text not null,
        version integer not null,
        sequence integer not null,
        doc text not null,
        primary key (account_id, id)
      ) strict, without rowid;

      -- Listings are filtered and sorted by these columns. In a table without documents, a filter takes 0.1 µs per row
      -- (docs/decisions/0002-storage.md).
      create table listing_facets (
        account_id text not null,
        id text not null,
        external_id text,
        status text not null,
        property_type text,
        city text,
        postal_code text,
        beds integer not null,
        baths integer not null,
        list_price real,
        living_area real,
        year_built integer,
        latitude real,
        longitude real,
        created_at text not null,
        updated_at text not null,
        search_row integer not null,
        primary key (account_id, id),
        foreign key (account_id, id) references listings (account_id, id) on delete cascade
      ) strict, without rowid;

      create unique index listing_facets_external_id on listing_facets (account_id, external_id)
        where external_id is not null;

      -- Indexes the words of a listing's address, city, and description, each after its account's tag. The rowid is
      -- \`search_row\` in listing_facets. The words themselves are not stored, only their index.
      create virtual table listing_words using fts5 (
        words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'none'
      );
      -- A commit can merge a number of the index's pages, which takes less time if the pages are small.
      insert into listing_words (listing_words, rank) values ('pgsz', 500);
    `,
    postgres: `
      alter table account_heads set (fillfactor = 50);

      create table listings (
        account_id text collate "C" not null references accounts (id) on delete cascade,
        id text collate "C" not null,
        version bigint not null,
        sequence bigint not null,
        doc text not null,
        primary key (account_id, id)
      );

      -- All numbers in filters have the same type, so that a filter by 2.5 beds finds nothing instead of failing.
      create table listing_facets (
        account_id text collate "C" not null,
        id text collate "C" not null,
        external_id text collate "C",
        status text collate "C" not null,
        property_type text collate "C",
        city text collate "C",
        postal_code text collate "C",
        beds double precision not null,
        baths double precision not null,
        list_price double precision,
        living_area double precision,
        year_built double precision,
        latitude double precision,
        longitude double precision,
        created_at text collate "C" not null,
        updated_at text collate "C" not null,
        search_row bigint not null,
        primary key (account_id, id),
        constraint listing_facets_listing
          foreign key (account_id, id) references listings (account_id, id) on delete cascade
      );

      create unique index listing_facets_external_id on listing_facets (account_id, external_id)
        where external_id is not null;

      -- \`search_row\` is the account's sequence when the words were indexed.
      create table listing_words (
        account_id text collate "C" not null references accounts (id) on delete cascade,
        search_row bigint not null,
        words tsvector not null,
        primary key (account_id, search_row)
      );

      create index listing_words_words on listing_words using gin (words);

      -- PostgreSQL inlines this function into the query. Citus needs a different one (postgres/distribute.ts).
      create function find_key_holder (wanted text)
        returns table (id text, account_id text, access text, expires_at bigint, sequence bigint, epoch text)
        language sql stable as $$
          select api_keys.id, api_keys.account_id, api_keys.access, api_keys.expires_at, heads.sequence, info.epoch
          from api_keys inner join account_heads as heads on heads.account_id = api_keys.account_id
          cross join database_info as info
          where api_keys.hash = wanted
        $$;

      -- The limiter's library counts here. The counts are unlogged: losing them in a crash of the server is acceptable.
      create unlogged table rate_limits (
        key text collate "C" primary key,
        points integer not null default 0,
        expire bigint
      ) with (fillfactor = 50);
    `,
  },
);
