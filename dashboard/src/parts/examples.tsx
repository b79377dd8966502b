import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatNumber } from '../lib/format';
import { type Column, DataTable } from './data-table';
import { Section } from './page';

interface ExamplesProps<Row> {
  title: string;
  columns: Column<Row & { id: string }>[];
  rows: readonly Row[];
  /** The total number of rows. If it is 0, nothing is shown. */
  count: number;
  actions?: ReactNode;
}

/** The maximum number of rows shown: more than a user is likely to read. */
const SHOWN_MAX = 50;

/** A section with the first rows of one kind of change or failure. */
export function Examples<Row extends object>({ title, columns, rows, count, actions }: ExamplesProps<Row>) {
  if (count === 0) return null;
  const shown = rows.slice(0, SHOWN_MAX).map((row, index) => ({ ...row, id: String(index) }));
  return (
    <Section title={title} actions={actions}>
      <div className="card">
        <DataTable label={title} columns={columns} rows={shown} />
        {count > shown.length && (
          <Text size="sm" c="dimmed" p="md">
            The first {shown.length} of {formatNumber(count)}.
          </Text>
        )}
      </div>
    </Section>
  );
}
