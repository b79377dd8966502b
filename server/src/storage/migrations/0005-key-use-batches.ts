/** Detects batches of counts that are submitted twice. */
export const keyUseBatches = {
  sqlite: `
    -- The last batch of counts that each process has written.
    create table key_use_batches (
      process text primary key,
      number integer not null,
      written_at integer not null
    ) strict, without rowid;
  `,

  postgres: `
    -- The last batch of counts that each process has written. On Citus, the table stays on the coordinator.
    create table key_use_batches (
      process text collate "C" primary key,
      number bigint not null,
      written_at bigint not null
    );
  `,
};
