import { onBoth } from './migration.ts';

export const feedFiles = onBoth(`
  -- The columns of the last CSV file and their fields, as JSON: a renamed column is recognized by them.
  alter table feeds add column last_columns text;

  -- Without it, each run would read all listings of the account.
  create index listing_facets_feed_id on listing_facets (account_id, feed, id)
    where feed is not null and external_id is null;
`);
