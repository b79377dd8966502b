import { onBoth } from './migration.ts';

export const feedFiles = onBoth(`
  -- The columns of earlier CSV files and their fields, as JSON, by which a renamed column is recognized.
  alter table feeds add column last_columns text;

  -- Without this index, each run would read all listings of the account.
  create index listing_facets_feed_id on listing_facets (account_id, feed, id)
    where feed is not null and external_id is null;
`);
