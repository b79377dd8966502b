import { SimpleGrid, Text } from '@mantine/core';
import type { FeedRun } from '../../api/types';
import { formatNumber } from '../../lib/format';

type Counts = Pick<
  FeedRun,
  'rows' | 'created' | 'updated' | 'unchanged' | 'missing' | 'withdrawn' | 'deleted' | 'failed' | 'cleaned'
>;

/** The counts of a run, or of a plan. */
export function Counts({ counts, label }: { counts: Counts; label: string }) {
  const { rows, created, updated, unchanged, missing, withdrawn, deleted, failed, cleaned } = counts;
  const shown = {
    Rows: rows,
    Created: created,
    Updated: updated,
    Unchanged: unchanged,
    Failed: failed,
    Missing: missing,
    ...(withdrawn > 0 && { Withdrawn: withdrawn }),
    ...(deleted > 0 && { Deleted: deleted }),
    ...(cleaned > 0 && { 'Cleaned values': cleaned }),
  };
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} role="status" aria-label={label}>
      {Object.entries(shown).map(([name, count]) => (
        <div key={name} className="card figure">
          <Text size="sm" c="dimmed">
            {name}
          </Text>
          <Text className="figure-number">{formatNumber(count)}</Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
