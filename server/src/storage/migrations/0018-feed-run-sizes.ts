import { onBoth } from './migration.ts';

/** Lets the service sum the stored bytes of runs from an index, without reading the runs' long errors. */
export const feedRunSizes = onBoth(`
  update feed_runs set stored_bytes = stored_bytes + octet_length(errors) where stored_rows > 0;
  create index feed_runs_stored on feed_runs (account_id, id, stored_bytes) where stored_bytes > 0;
`);
