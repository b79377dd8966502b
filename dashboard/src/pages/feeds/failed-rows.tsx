import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FeedRun } from '../../api/types';
import { formatNumber } from '../../lib/format';
import { describeRowIssue } from '../../lib/issue-texts';
import { Section } from '../../parts/page';
import { type Column, Table } from '../../parts/table';

type FailedRow = FeedRun['errors'][number];

const COLUMNS: Column<FailedRow & { id: string }>[] = [
  { label: 'Line', className: 'number', cell: ({ line }) => line },
  { label: 'External ID', cell: ({ externalId }) => <bdi>{externalId}</bdi> },
  { label: 'Problem', className: 'wide', cell: (row) => <Problem row={row} /> },
];

interface FailedRowsProps {
  rows: FailedRow[];
  count: number;
  actions?: ReactNode;
}

export function FailedRows({ rows, count, actions }: FailedRowsProps) {
  if (count === 0) return null;
  return (
    <Section title="Failed rows" actions={actions}>
      <div className="card">
        <Table label="Failed rows" columns={COLUMNS} rows={rows.map((row) => ({ ...row, id: String(row.line) }))} />
        {count > rows.length && (
          <Text size="sm" c="dimmed" p="md">
            The first {rows.length} of {formatNumber(count)}.
          </Text>
        )}
      </div>
    </Section>
  );
}

function Problem({ row: { message, details = [] } }: { row: FailedRow }) {
  if (details.length === 0) return <bdi>{message}</bdi>;
  return details.map((issue) => (
    <div key={issue.field}>
      <code>{issue.field}</code> <bdi>{describeRowIssue(issue)}</bdi>
    </div>
  ));
}
