import { onBoth } from './migration.ts';

const tables = onBoth(`
  -- Who made the listing's last change, and the changed fields, as JSON.
  alter table listings add column actor text;
  alter table listings add column changes text;

  -- The former versions of listings, and their deletions. A version moves here once the next change replaces it in
  -- \`listings\`. Its document is last, since reading a column after a long text means reading the text.
  create table listing_history (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    listing_id text collate "C" not null,
    sequence integer not null,
    version integer not null,
    type text not null,
    at text not null,
    actor text,
    changes text,
    doc text,
    primary key (account_id, listing_id, sequence)
  ) strict, without rowid;

  alter table events add column feed text collate "C";
  alter table events add column external_id text collate "C";
`);

const counts = `
  alter table events drop column doc;

  -- Each version also counts 100 bytes.
  update account_heads set stored_bytes = stored_bytes + totals.bytes
    from (
      select account_id, sum(coalesce(octet_length(changes), 0) + 100) as bytes
      from (
        select account_id, changes from listings union all select account_id, changes from listing_history
      ) as versions group by account_id
    ) as totals
    where totals.account_id = account_heads.account_id;
`;

/**
 * The history of each listing, and the columns that event filters need. For changes before this migration,
 * the history contains only what the changes' events recorded.
 */
export const history = {
  sqlite: `${tables.sqlite}
    insert into listing_history (account_id, listing_id, sequence, version, type, at, changes, doc)
      select account_id, listing_id, sequence, version, type,
        coalesce(doc ->> '$.updatedAt', strftime('%FT%H:%M:%fZ', created_at / 1000.0, 'unixepoch')),
        case when type = 'listing.updated' then (
          select json_group_object(value, json('{"changed":true}')) from json_each(changed)
        ) end, doc
      from (
        select *, max(doc ->> '$.version') over (partition by account_id, listing_id order by sequence) as version
        from events
      ) where version is not null and (doc is not null or type = 'listing.deleted');
    update events set external_id = former.external_id
      from (
        select account_id, sequence,
          lag(doc ->> '$.externalId') over (partition by account_id, listing_id order by sequence) as external_id
        from events
      ) as former
      where type = 'listing.deleted' and former.account_id = events.account_id and former.sequence = events.sequence;
    update listings set changes = (
        select json_group_object(value, json('{"changed":true}')) from events, json_each(events.changed)
        where events.account_id = listings.account_id and events.sequence = listings.sequence
      ) where version > 1;
    ${counts}`,

  postgres: `${tables.postgres}
    -- A Citus cluster has the account's events on the account's machine.
    do $$ begin
      if to_regclass('pg_dist_partition') is not null then
        perform create_distributed_table('listing_history', 'account_id', colocate_with => 'account_heads')
          from pg_dist_partition where logicalrelid = 'listings'::regclass;
      end if;
    end $$;

    insert into listing_history (account_id, listing_id, sequence, version, type, at, changes, doc)
      select account_id, listing_id, sequence, version, type,
        coalesce(doc::json ->> 'updatedAt',
          to_char(to_timestamp(created_at / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
        case when type = 'listing.updated' then (
          select '{' || string_agg(to_json(name) || ':{"changed":true}', ',') || '}' from json_array_elements_text(changed::json) as name
        ) end, doc
      from (
        select *, max((doc::json ->> 'version')::bigint)
          over (partition by account_id, listing_id order by sequence) as version
        from events
      ) as former where version is not null and (doc is not null or type = 'listing.deleted');
    update events set external_id = former.external_id
      from (
        select account_id, sequence,
          lag(doc::json ->> 'externalId') over (partition by account_id, listing_id order by sequence) as external_id
        from events
      ) as former
      where type = 'listing.deleted' and former.account_id = events.account_id and former.sequence = events.sequence;
    update listings set changes = (
        select '{' || string_agg(to_json(name) || ':{"changed":true}', ',') || '}'
        from events cross join json_array_elements_text(events.changed::json) as name
        where events.account_id = listings.account_id and events.sequence = listings.sequence
      ) where version > 1;
    ${counts}`,
};
