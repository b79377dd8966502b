import { onBoth } from './migration.ts';

/** Detects batches of counts that are submitted twice. */
export const keyUseBatches = onBoth(`
  -- The last batch of counts that each process has written.
  create table key_use_batches (
    process text collate "C" primary key,
    number integer not null,
    written_at integer not null
  ) strict, without rowid;
`);
