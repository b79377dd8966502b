import { onBoth } from './migration.ts';

export const feeds = onBoth(`
  create table feeds (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    name text collate "C" not null,
    -- JSON.
    settings text not null,
    listing_count integer not null,
    created_at integer not null,
    last_success_at integer,
    -- The last run, and until when it must renew its lease if it is in progress.
    run_id text collate "C",
    lease_until integer,
    primary key (account_id, name)
  ) strict, without rowid;

  create table feed_runs (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    id text collate "C" not null,
    feed text collate "C" not null,
    started_at integer not null,
    finished_at integer,
    outcome text not null,
    -- JSON.
    counts text not null,
    sequence_from integer,
    sequence_to integer,
    -- JSON: the first failed rows, and the run's own error.
    errors text not null,
    error text,
    -- Failed rows that are stored, and the bytes of their values.
    stored_rows integer not null,
    stored_bytes integer not null,
    primary key (account_id, id)
  ) strict, without rowid;
  create index feed_runs_feed on feed_runs (account_id, feed, id);

  create table feed_errors (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    run_id text collate "C" not null,
    number integer not null,
    -- JSON: the error, and the row's own values.
    error text not null,
    row_values text,
    primary key (account_id, run_id, number)
  ) strict, without rowid;

  -- The version that a feed has written and a hash of its row; see docs/decisions/0013-feeds.md.
  alter table listings add column feed_mark text;
  create index listing_facets_feed on listing_facets (account_id, feed, external_id) where feed is not null;
`);
