import { Text } from '@mantine/core';
import type { FeedPlan } from '../../api/types';
import { formatNumber } from '../../lib/format';
import { Section } from '../../parts/page';
import { type Column, Table } from '../../parts/table';
import { FailedRows } from '../listings/failed-rows';
import { RunCounts } from './counts';

/** More examples than a person reads. */
const SHOWN_MAX = 50;

type Examples = FeedPlan['examples'];

const CREATE: Column<Examples['create'][number] & { id: string }>[] = [
  { label: 'Line', className: 'number', cell: ({ line }) => line },
  { label: 'External ID', cell: ({ externalId }) => <bdi>{externalId}</bdi> },
  { label: 'Address', className: 'wide', cell: ({ address }) => <bdi>{address}</bdi> },
];

const UPDATE: Column<Examples['update'][number] & { id: string }>[] = [
  { label: 'Line', className: 'number', cell: ({ line }) => line },
  { label: 'External ID', cell: ({ externalId }) => <bdi>{externalId}</bdi> },
  { label: 'Changes', className: 'wide', cell: ({ changes }) => <Changes changes={changes} /> },
];

const MISSING: Column<Examples['missing'][number] & { id: string }>[] = [
  { label: 'External ID', cell: ({ externalId }) => <bdi>{externalId}</bdi> },
  { label: 'Address', className: 'wide', cell: ({ address }) => <bdi>{address}</bdi> },
];

/** What a run would do, with examples of each kind. */
export function Plan({ plan }: { plan: FeedPlan }) {
  const { examples, created, updated, missing } = plan;
  return (
    <>
      <RunCounts counts={plan} label="Result of the check" />
      <Kind title="To be created" columns={CREATE} rows={examples.create} count={created} />
      <Kind title="To be updated" columns={UPDATE} rows={examples.update} count={updated} />
      <Kind title="Missing in the file" columns={MISSING} rows={examples.missing} count={missing} />
      <FailedRows errors={examples.failed} count={plan.failed} />
    </>
  );
}

interface KindProps<Row> {
  title: string;
  columns: Column<Row & { id: string }>[];
  rows: readonly Row[];
  count: number;
}

function Kind<Row extends object>({ title, columns, rows, count }: KindProps<Row>) {
  if (count === 0) return null;
  const shown = rows.slice(0, SHOWN_MAX).map((row, index) => ({ ...row, id: String(index) }));
  return (
    <Section title={title}>
      <div className="card">
        <Table label={title} columns={columns} rows={shown} />
        {count > shown.length && (
          <Text size="sm" c="dimmed" p="md">
            The first {shown.length} of {formatNumber(count)}.
          </Text>
        )}
      </div>
    </Section>
  );
}

function Changes({ changes }: { changes: Examples['update'][number]['changes'] }) {
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
