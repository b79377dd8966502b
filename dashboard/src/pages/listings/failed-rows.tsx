import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ImportReport } from '../../api/types';
import type { Targets } from '../../lib/columns';
import type { FileRow } from '../../lib/file-rows';
import { formatNumber } from '../../lib/format';
import { describeRowIssue } from '../../lib/issue-texts';
import { Section } from '../../parts/page';
import { type Column, Table } from '../../parts/table';

interface FailedRowsProps {
  errors: ImportReport['errors'];
  count: number;
  /** The rows with their values, and the fields of their columns. */
  rows?: FileRow[];
  targets?: Targets;
  actions?: ReactNode;
}

/** More than a person reads. */
const SHOWN_MAX = 50;
const VALUE_LENGTH_MAX = 60;

/** The first failed rows of a file, with their values as far as they are known. */
export function FailedRows({ errors, count, rows = [], targets = {}, actions }: FailedRowsProps) {
  if (count === 0) return null;
  const values = new Map(rows.map((row) => [row.line, row.values]));
  const columns = new Map(Object.entries(targets).map(([column, field]) => [field, column]));
  const shown = errors.slice(0, SHOWN_MAX).map((failure) => ({
    ...failure,
    id: String(failure.line),
    read: (field: string) => readValue(values.get(failure.line), columns.get(field) ?? field),
  }));
  return (
    <Section title="Failed rows" actions={actions}>
      <div className="card">
        <Table label="Failed rows" columns={COLUMNS} rows={shown} />
        {count > shown.length && (
          <Text size="sm" c="dimmed" p="md">
            The first {shown.length} of {formatNumber(count)}.
          </Text>
        )}
      </div>
    </Section>
  );
}

type FailedRow = ImportReport['errors'][number] & { id: string; read: (field: string) => string };

const COLUMNS: Column<FailedRow>[] = [
  { label: 'Line', className: 'number', cell: ({ line }) => line },
  { label: 'Listing', cell: (row) => <Listing row={row} /> },
  { label: 'Problem', className: 'wide', cell: (row) => <Problem row={row} /> },
];

function Listing({ row: { externalId, read } }: { row: FailedRow }) {
  return (
    <>
      <bdi>{externalId ?? read('externalId')}</bdi>
      <Text size="xs" c="dimmed" component="div">
        <bdi>{read('address')}</bdi>
      </Text>
    </>
  );
}

function Problem({ row: { message, details = [], read } }: { row: FailedRow }) {
  if (details.length === 0) return <bdi>{message}</bdi>;
  return details.map((issue) => {
    const value = read(issue.field);
    return (
      <div key={issue.field}>
        <code>{issue.field}</code> {value !== '' && <bdi>“{value}”: </bdi>}
        <bdi>{describeRowIssue(issue)}</bdi>
      </div>
    );
  });
}

function readValue(values: Record<string, unknown> | undefined, column: string): string {
  const value = values?.[column] ?? '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}
