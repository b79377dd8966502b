/** Webhook endpoints, their deliveries, and which process sends them. */
export const webhooks = {
  sqlite: `
    -- An endpoint is a cursor on the account's events: each up to \`position\` is settled or a pending delivery.
    create table webhooks (
      account_id text not null references accounts (id) on delete cascade,
      id text not null,
      url text not null,
      -- JSON array; null for all.
      types text,
      feed text,
      description text,
      enabled integer not null,
      -- Encrypted if the operator has set a key.
      secret text not null,
      old_secret text,
      old_secret_until integer,
      position integer not null,
      pending integer not null default 0,
      failing_since integer,
      disabled_at integer,
      -- The process that sends, and a number that grows with each change of the account's administrators.
      owner text,
      revision integer not null default 1,
      created_at integer not null,
      updated_at integer not null,
      primary key (account_id, id)
    ) strict, without rowid;

    create table webhook_deliveries (
      account_id text not null,
      webhook_id text not null,
      sequence integer not null,
      epoch text not null,
      state text not null,
      last_sequence integer not null,
      type text,
      listing_id text,
      attempts integer not null,
      next_at integer,
      last_at integer,
      status integer,
      duration_ms integer,
      response text,
      error text,
      updated_at integer not null,
      primary key (account_id, webhook_id, sequence, epoch),
      foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
    ) strict, without rowid;

    create index webhook_deliveries_state on webhook_deliveries (account_id, webhook_id, state, updated_at);

    -- The process that sends for a shard of the accounts. \`beat\` grows while it runs.
    create table webhook_leases (
      name text primary key,
      owner text not null,
      beat integer not null
    ) strict, without rowid;
  `,

  postgres: `
    -- An endpoint is a cursor on the account's events: each up to \`position\` is settled or a pending delivery.
    create table webhooks (
      account_id text collate "C" not null references accounts (id) on delete cascade,
      id text collate "C" not null,
      url text collate "C" not null,
      -- JSON array; null for all.
      types text collate "C",
      feed text collate "C",
      description text collate "C",
      enabled bigint not null,
      -- Encrypted if the operator has set a key.
      secret text collate "C" not null,
      old_secret text collate "C",
      old_secret_until bigint,
      position bigint not null,
      pending bigint not null default 0,
      failing_since bigint,
      disabled_at bigint,
      -- The process that sends, and a number that grows with each change of the account's administrators.
      owner text collate "C",
      revision bigint not null default 1,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (account_id, id)
    );

    create table webhook_deliveries (
      account_id text collate "C" not null,
      webhook_id text collate "C" not null,
      sequence bigint not null,
      epoch text collate "C" not null,
      state text collate "C" not null,
      last_sequence bigint not null,
      type text collate "C",
      listing_id text collate "C",
      attempts bigint not null,
      next_at bigint,
      last_at bigint,
      status bigint,
      duration_ms bigint,
      response text collate "C",
      error text collate "C",
      updated_at bigint not null,
      primary key (account_id, webhook_id, sequence, epoch),
      constraint webhook_deliveries_webhook
        foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
    );

    create index webhook_deliveries_state on webhook_deliveries (account_id, webhook_id, state, updated_at);

    -- The process that sends for a shard of the accounts. \`beat\` grows while it runs. On Citus, the table stays on the
    -- coordinator.
    create table webhook_leases (
      name text collate "C" primary key,
      owner text collate "C" not null,
      beat bigint not null
    );
  `,
};
