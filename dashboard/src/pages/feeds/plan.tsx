import type { FeedPlan, FeedRun } from '../../api/admin';
import { Counts } from '../../parts/counts';
import type { Column } from '../../parts/data-table';
import { Examples } from '../../parts/examples';
import { FailedRows } from '../listings/failed-rows';

type Kinds = FeedPlan['examples'];

const CREATE: Column<Kinds['create'][number] & { id: string }>[] = [
  { label: 'Line', width: 70, isNumber: true, cell: ({ line }) => line },
  { label: 'External ID', width: 130, cell: ({ externalId }) => <bdi>{externalId}</bdi> },
  { label: 'Address', isLong: true, cell: ({ address }) => <bdi>{address}</bdi> },
];

const UPDATE: Column<Kinds['update'][number] & { id: string }>[] = [
  { label: 'Line', width: 70, isNumber: true, cell: ({ line }) => line },
  { label: 'External ID', width: 130, cell: ({ externalId }) => <bdi>{externalId}</bdi> },
  { label: 'Changes', isLong: true, cell: ({ changes }) => <Changes changes={changes} /> },
];

const MISSING: Column<Kinds['missing'][number] & { id: string }>[] = [
  { label: 'External ID', width: 130, cell: ({ externalId }) => <bdi>{externalId}</bdi> },
  { label: 'Address', isLong: true, cell: ({ address }) => <bdi>{address}</bdi> },
];

/** Shows what a run would do, with examples of each kind of change. */
export function Plan({ plan }: { plan: FeedPlan }) {
  const { examples, created, updated, missing } = plan;
  return (
    <>
      <RunCounts counts={plan} label="Result of the check" />
      <Examples title="To be created" columns={CREATE} rows={examples.create} count={created} />
      <Examples title="To be updated" columns={UPDATE} rows={examples.update} count={updated} />
      <Examples title="Missing from the file" columns={MISSING} rows={examples.missing} count={missing} />
      <FailedRows errors={examples.failed} count={plan.failed} />
    </>
  );
}

function Changes({ changes }: { changes: Kinds['update'][number]['changes'] }) {
  return Object.entries(changes).map(([field, change]) => (
    <div key={field}>
      <code>{field}</code>{' '}
      {'from' in change || 'to' in change ? (
        <bdi>
          {show(change.from)} → {show(change.to)}
        </bdi>
      ) : (
        'changed'
      )}
    </div>
  ));
}

function show(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function RunCounts({ counts, label }: { counts: FeedPlan | FeedRun; label: string }) {
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
