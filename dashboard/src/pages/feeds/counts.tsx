import type { FeedRun } from '../../api/types';
import { Counts } from '../../parts/counts';

type Counted = Pick<
  FeedRun,
  'rows' | 'created' | 'updated' | 'unchanged' | 'missing' | 'withdrawn' | 'deleted' | 'failed' | 'cleaned'
>;

/** The counts of a run, or of a plan. */
export function RunCounts({ counts, label }: { counts: Counted; label: string }) {
  const { rows, created, updated, unchanged, missing, withdrawn, deleted, failed, cleaned } = counts;
  const shown = {
    Rows: rows,
    Created: created,
    Updated: updated,
    Unchanged: unchanged,
    Failed: failed,
    Missing: missing,
    Withdrawn: withdrawn || undefined,
    Deleted: deleted || undefined,
    'Cleaned values': cleaned || undefined,
  };
  return <Counts counts={shown} label={label} />;
}
