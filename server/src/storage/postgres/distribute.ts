import type pg from 'pg';
import { AppError } from '../../model/errors.ts';
import { send } from './connection.ts';

/** What is looked up without an account, or joined with what is: small tables, whole on every machine. In order of references. */
const REFERENCE_TABLES = [
  'database_info',
  'accounts',
  'users',
  'api_keys',
  'credentials',
  'sessions',
  'verifications',
  'two_factors',
  'memberships',
  'invitations',
  'setup_links',
];
/** What accounts have of their own; each account's rows of all of them lie on one machine. */
const TENANT_TABLES = [
  'account_heads',
  'listings',
  'listing_facets',
  'listing_words',
  'events',
  'idempotency_keys',
  'key_hours',
  'audit_log',
];
/** Moving what is there may take as long as it likes. */
const NO_LIMIT = 'set local statement_timeout = 0; set local lock_timeout = 0';
/** The client waits as long: a day. */
const timeoutMs = 86_400_000;

/**
 * The join of the plain one would ask all machines, since a hash does not tell the account. Here the key is read where the
 * query runs, and then the one shard of its account.
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

/** Whether the database has the extension. */
export async function hasCitus(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await send(client, { text: "select 1 from pg_extension where extname = 'citus'" });
  return rows.length > 0;
}

/** Whether the tables are spread over its machines. */
export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  const text = "select 1 from pg_dist_partition where logicalrelid = 'listings'::regclass";
  return (await send(client, { text })).rows.length > 0;
}

/**
 * Spreads the tables over the machines of a Citus cluster, by account, within the transaction that is open. What is there
 * moves along; where they are spread already, only what is said differently on Citus is renewed.
 * @throws {AppError} `conflict` without Citus
 */
export async function distribute(client: pg.ClientBase): Promise<void> {
  if (!(await hasCitus(client))) {
    const message = 'The database has no Citus: "create extension citus" on each machine, and add the workers, before.';
    throw new AppError('conflict', message);
  }
  if (!(await isDistributed(client))) await distributeTables(client);
  await send(client, { text: FIND_KEY_HOLDER });
}

async function distributeTables(client: pg.ClientBase): Promise<void> {
  await send(client, { text: NO_LIMIT });
  // The audit log's trigger looks at nothing but its own row and the account's, which are on each machine.
  await send(client, { text: 'set local citus.enable_unsafe_triggers = on' });
  // Reference tables are written on all machines at once, in the same transaction as these.
  await send(client, { text: "set local citus.multi_shard_modify_mode = 'sequential'" });
  // Between the two steps of a pair it would lead from a table of this machine to one of all, which cannot be.
  await send(client, { text: 'alter table listing_facets drop constraint listing_facets_listing', timeoutMs });
  for (const table of REFERENCE_TABLES)
    await send(client, { text: `select create_reference_table('${table}')`, timeoutMs });
  for (const table of TENANT_TABLES) {
    const place = table === TENANT_TABLES[0] ? '' : `, colocate_with => '${TENANT_TABLES[0]}'`;
    await send(client, { text: `select create_distributed_table('${table}', 'account_id'${place})`, timeoutMs });
  }
  await send(client, {
    text: `alter table listing_facets add constraint listing_facets_listing
      foreign key (account_id, id) references listings (account_id, id) on delete cascade`,
    timeoutMs,
  });
}
