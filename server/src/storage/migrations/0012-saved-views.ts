import { onBoth } from './migration.ts';

export const savedViews = onBoth(`
  create table saved_views (
    account_id text collate "C" not null,
    user_id text collate "C" not null,
    name text collate "C" not null,
    -- The query string of the page.
    search text collate "C" not null,
    primary key (account_id, user_id, name),
    foreign key (account_id, user_id) references memberships (account_id, user_id) on delete cascade
  ) strict, without rowid;
`);
