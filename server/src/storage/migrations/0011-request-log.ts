import { onBoth } from './migration.ts';

/** The request log, which on SQLite has its own file, and the successors of rolled keys. */
export const requestLog = onBoth(
  `
  -- The id of the key that replaces this one after a roll.
  alter table api_keys add column replaced_by text collate "C";
`,
  {
    postgres: `
      -- Unlogged: after a crash of the server, the request log starts over.
      create unlogged table request_blocks (
        account_id text collate "C" not null,
        -- Begins with the time of the block's requests.
        id text collate "C" not null,
        -- A JSON array of requests in UTF-8.
        requests bytea not null,
        -- How many of the requests failed.
        failures bigint not null,
        -- About the size of the row, with its entries in indexes.
        bytes bigint not null generated always as (octet_length(requests) + 250) stored,
        primary key (account_id, id)
      );

      create index request_blocks_failed on request_blocks (account_id, id) where failures > 0;
      create index request_blocks_oldest on request_blocks (id) include (bytes);
    `,
  },
);
