import { onBoth } from './migration.ts';

/** Quotas, usage, and suspension of accounts, in a row that each write updates anyway. */
export const quotas = onBoth(
  `
  -- UTF-8 bytes of the account's documents in \`listings\` and \`events\`.
  alter table account_heads add column stored_bytes integer not null default 0;
  alter table account_heads add column listings_max integer;
  alter table account_heads add column bytes_max integer;
  alter table account_heads add column rate_points integer;
  alter table account_heads add column rate_seconds integer;
  -- Why the account is suspended; null while it is not.
  alter table account_heads add column suspended_for text;

  update account_heads set stored_bytes = stored_bytes + totals.bytes
    from (select account_id, sum(octet_length(doc)) as bytes from listings group by account_id) as totals
    where totals.account_id = account_heads.account_id;
  update account_heads set stored_bytes = stored_bytes + totals.bytes
    from (select account_id, sum(octet_length(doc)) as bytes from events where doc is not null group by account_id) as totals
    where totals.account_id = account_heads.account_id;
`,
  {
    postgres: `
      -- On Citus, postgres/distribute.ts replaces this function.
      drop function find_key_holder (text);
      create function find_key_holder (wanted text)
        returns table (
          id text, account_id text, access text, expires_at bigint, sequence bigint, epoch text,
          rate_points bigint, rate_seconds bigint, suspended_for text
        )
        language sql stable as $$
          select api_keys.id, api_keys.account_id, api_keys.access, api_keys.expires_at, heads.sequence, info.epoch,
            heads.rate_points, heads.rate_seconds, heads.suspended_for
          from api_keys inner join account_heads as heads on heads.account_id = api_keys.account_id
          cross join database_info as info
          where api_keys.hash = wanted
        $$;
    `,
  },
);
