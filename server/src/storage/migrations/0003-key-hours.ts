import { onBoth } from './migration.ts';

export const keyHours = onBoth(`
  -- A key's hours stay after its deletion, for the chart of the last day.
  create table key_hours (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    hour integer not null,
    key_id text collate "C" not null,
    requests integer not null,
    errors integer not null,
    primary key (account_id, hour, key_id)
  ) strict, without rowid;

  create index key_hours_hour on key_hours (hour);
`);
