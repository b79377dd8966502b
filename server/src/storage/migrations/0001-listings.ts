/**
 * Accounts, keys, listings and events. The columns of `listings` that the API filters and sorts on are
 * derived by the database from the stored document, so that they can never disagree with it.
 */
export const listings = {
  sqlite: `
    create table database_info (
      id integer primary key check (id = 1),
      epoch text not null,
      cursor_secret text not null,
      created_at integer not null
    ) strict;

    create table accounts (
      id text primary key,
      name text not null,
      currency text not null,
      area_units text not null,
      created_at integer not null
    ) strict, without rowid;

    create table account_heads (
      account_id text primary key references accounts (id) on delete cascade,
      sequence integer not null,
      listing_count integer not null
    ) strict, without rowid;

    create table listings (
      account_id text not null references accounts (id) on delete cascade,
      id text not null,
      version integer not null,
      sequence integer not null,
      doc text not null,
      search_row integer not null,
      external_id text generated always as (doc ->> '$.externalId') virtual,
      status text generated always as (doc ->> '$.status') virtual,
      property_type text generated always as (doc ->> '$.propertyType') virtual,
      city text generated always as (doc ->> '$.city') virtual,
      postal_code text generated always as (doc ->> '$.postalCode') virtual,
      beds integer generated always as (doc ->> '$.beds') virtual,
      baths integer generated always as (doc ->> '$.baths') virtual,
      list_price real generated always as (doc ->> '$.listPrice') virtual,
      living_area real generated always as (doc ->> '$.livingArea') virtual,
      year_built integer generated always as (doc ->> '$.yearBuilt') virtual,
      latitude real generated always as (doc ->> '$.latitude') virtual,
      longitude real generated always as (doc ->> '$.longitude') virtual,
      created_at text generated always as (doc ->> '$.createdAt') virtual,
      updated_at text generated always as (doc ->> '$.updatedAt') virtual,
      primary key (account_id, id)
    ) strict, without rowid;

    create unique index listings_external_id on listings (account_id, external_id) where external_id is not null;
    -- One covering index instead of one for each column: a filter scans it at 0.1 µs a row without touching a
    -- document, and a create writes one entry more instead of twelve (docs/decisions/0002-storage.md).
    create index listings_finding on listings (
      account_id, id, status, property_type, city, postal_code, beds, baths, list_price, living_area, year_built,
      latitude, longitude, created_at, updated_at, search_row
    );

    -- The words of a listing's address, city and description, cut by the service and each with its account in front;
    -- \`search_row\` of the listing is the rowid. The words themselves are not kept: only the index is.
    create virtual table listing_words using fts5 (
      words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'none'
    );

    -- An event has a document of its own only once a later change has replaced it in \`listings\`. It comes last:
    -- what stands behind a long one cannot be read without it.
    create table events (
      account_id text not null references accounts (id) on delete cascade,
      sequence integer not null,
      type text not null,
      listing_id text not null,
      changed text,
      created_at integer not null,
      doc text,
      primary key (account_id, sequence)
    ) strict, without rowid;

    create table idempotency_keys (
      account_id text not null references accounts (id) on delete cascade,
      key text not null,
      fingerprint text not null,
      outcome text not null,
      expires_at integer not null,
      primary key (account_id, key)
    ) strict, without rowid;

    create index idempotency_keys_expires_at on idempotency_keys (expires_at);

    -- Looked up by hash with every request, by id only when it is deleted.
    create table api_keys (
      hash text primary key,
      id text not null unique,
      account_id text not null references accounts (id) on delete cascade,
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
};
