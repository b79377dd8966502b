import { onBoth } from './migration.ts';

/** The separator of a run's CSV file; null for other files, and for runs of earlier releases. */
export const feedRunSeparators = onBoth(`
  alter table feed_runs add column separator text;
`);
