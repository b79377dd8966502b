import type pg from 'pg';
import { AppError } from '../../model/errors.ts';
import { send } from './connection.ts';

/** Small tables that are used without an account id. Each machine has a copy. Referenced tables come first. */
const REFERENCE_TABLES = [
  'database_info',
  'accounts',
  'users',
  'api_keys',
  'credentials',
  'sessions',
  'verifications',
  'two_factors',
  'passkeys',
  'memberships',
  'invitations',
  'setup_links',
];
/** Tables of account data. All rows of an account are on the same machine. */
const TENANT_TABLES = [
  'account_heads',
  'listings',
  'listing_facets',
  'listing_history',
  'events',
  'idempotency_keys',
  'key_hours',
  'webhooks',
  'webhook_deliveries',
  'audit_log',
  'feeds',
  'feed_runs',
  'feed_errors',
  'request_blocks',
  'saved_views',
];
/** Foreign keys between tables of account data. */
const FOREIGN_KEYS = [
  ['listing_facets', 'listing_facets_listing', '(account_id, id) references listings (account_id, id)'],
  ['webhook_deliveries', 'webhook_deliveries_webhook', '(account_id, webhook_id) references webhooks (account_id, id)'],
] as const;
/** Only distributed tables and reference tables. Citus also lists local tables that reference a reference table. */
const FIND_DISTRIBUTED = "select logicalrelid::text from pg_dist_partition where partmethod = 'h' or repmodel = 't'";
/** Moving existing data can take hours. */
const NO_LIMIT = 'set local statement_timeout = 0; set local lock_timeout = 0';
/** The client's timeout, a day. */
const timeoutMs = 86_400_000;

/**
 * The variant of `find_key_holder` for Citus. The join in the variant for a single server would query all
 * machines, since the hash does not determine the account. This variant reads the key on the local machine,
 * and then only the shard of the key's account.
 */
const FIND_KEY_HOLDER = `
  create or replace function find_key_holder (wanted text)
    returns table (
      id text, account_id text, access text, expires_at bigint, sequence bigint, epoch text,
      rate_points bigint, rate_seconds bigint, suspended_for text
    )
    language plpgsql stable as $$
    #variable_conflict use_column
    begin
      select k.id, k.account_id, k.access, k.expires_at, i.epoch
        into id, account_id, access, expires_at, epoch
        from api_keys as k cross join database_info as i where k.hash = wanted;
      if not found then return; end if;
      select h.sequence, h.rate_points, h.rate_seconds, h.suspended_for
        into sequence, rate_points, rate_seconds, suspended_for
        from account_heads as h where h.account_id = find_key_holder.account_id;
      if found then return next; end if;
    end $$`;

export async function hasCitus(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await send(client, { text: "select 1 from pg_extension where extname = 'citus'" });
  return rows.length > 0;
}

export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  const text = "select 1 from pg_dist_partition where logicalrelid = 'listings'::regclass";
  return (await send(client, { text })).rows.length > 0;
}

/**
 * Distributes the tables by account over the machines of a Citus cluster, and moves existing data, in the
 * open transaction. Leaves tables that are already distributed unchanged. Also recreates the Citus variant of
 * `find_key_holder`.
 * @throws {AppError} `conflict` without Citus
 */
export async function distribute(client: pg.ClientBase): Promise<void> {
  if (!(await hasCitus(client))) {
    const message =
      'The database lacks the Citus extension; run "create extension citus" on each machine and add the workers first.';
    throw new AppError('conflict', message);
  }
  await distributeTables(client);
  await send(client, { text: FIND_KEY_HOLDER });
}

async function distributeTables(client: pg.ClientBase): Promise<void> {
  const { rows } = await send(client, { text: FIND_DISTRIBUTED });
  const isLocal = (table: string) => !rows.some(([name]) => name === table);
  const foreignKeys = FOREIGN_KEYS.filter(([table]) => isLocal(table));
  await send(client, { text: NO_LIMIT });
  // Safe: the audit log's trigger reads only the row that fires it and the account's row, which every machine has.
  await send(client, { text: 'set local citus.enable_unsafe_triggers = on' });
  // Required, since the same transaction writes reference tables on all machines.
  await send(client, { text: "set local citus.multi_shard_modify_mode = 'sequential'" });
  // Citus does not allow a foreign key between a local and a distributed table, even temporarily.
  for (const [table, constraint] of foreignKeys)
    await send(client, { text: `alter table ${table} drop constraint ${constraint}`, timeoutMs });
  for (const table of REFERENCE_TABLES.filter(isLocal))
    await send(client, { text: `select create_reference_table('${table}')`, timeoutMs });
  for (const table of TENANT_TABLES.filter(isLocal)) {
    const place = table === TENANT_TABLES[0] ? '' : `, colocate_with => '${TENANT_TABLES[0]}'`;
    await send(client, { text: `select create_distributed_table('${table}', 'account_id'${place})`, timeoutMs });
  }
  for (const [table, constraint, definition] of foreignKeys) {
    const text = `alter table ${table} add constraint ${constraint} foreign key ${definition} on delete cascade`;
    await send(client, { text, timeoutMs });
  }
}
