import { onBoth } from './migration.ts';

export const webhooks = onBoth(`
  -- An endpoint is a cursor on the account's events: each event up to \`position\` is settled, filtered out, or a
  -- pending delivery.
  create table webhooks (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    id text collate "C" not null,
    url text collate "C" not null,
    -- JSON array; null for all.
    types text collate "C",
    feed text collate "C",
    description text collate "C",
    enabled integer not null,
    -- Encrypted if the operator has set a key.
    secret text collate "C" not null,
    old_secret text collate "C",
    old_secret_until integer,
    position integer not null,
    pending integer not null default 0,
    failing_since integer,
    disabled_at integer,
    -- The process that sends, and a number that grows with each change of the account's administrators.
    owner text collate "C",
    revision integer not null default 1,
    created_at integer not null,
    updated_at integer not null,
    primary key (account_id, id)
  ) strict, without rowid;

  create table webhook_deliveries (
    account_id text collate "C" not null,
    webhook_id text collate "C" not null,
    sequence integer not null,
    epoch text collate "C" not null,
    state text collate "C" not null,
    last_sequence integer not null,
    type text collate "C",
    listing_id text collate "C",
    attempts integer not null,
    next_at integer,
    last_at integer,
    status integer,
    duration_ms integer,
    response text collate "C",
    error text collate "C",
    updated_at integer not null,
    primary key (account_id, webhook_id, sequence, epoch),
    constraint webhook_deliveries_webhook
      foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
  ) strict, without rowid;

  create index webhook_deliveries_state on webhook_deliveries (account_id, webhook_id, state, updated_at);

  -- One lease for each process that sends webhooks, and one for each shard of the accounts. \`beat\` grows while the
  -- owner runs.
  create table webhook_leases (
    name text collate "C" primary key,
    owner text collate "C" not null,
    beat integer not null
  ) strict, without rowid;
`);
