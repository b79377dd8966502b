import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FileWarning, ImportReport } from '../../api/admin';
import type { Targets } from '../../lib/columns';
import type { FileRow } from '../../lib/file-rows';
import { describeRowIssue, describeWarning } from '../../lib/issue-texts';
import { type Column, Subline } from '../../parts/data-table';
import { Examples } from '../../parts/examples';
import { Note } from '../../parts/form';
import { labelOf } from './form-fields';

interface FailedRowsProps {
  errors: ImportReport['errors'];
  count: number;
  /** The failed rows with their values. */
  rows?: FileRow[];
  /** The field of each column. */
  targets?: Targets;
  actions?: ReactNode;
}

const VALUE_LENGTH_MAX = 60;

/** The first failed rows of a file, with their values if those are known. */
export function FailedRows({ errors, count, rows = [], targets = {}, actions }: FailedRowsProps) {
  const values = new Map(rows.map((row) => [row.line, row.values]));
  const columns = new Map(Object.entries(targets).map(([column, field]) => [field, column]));
  const shown = errors.map((failure) => ({
    ...failure,
    columnOf: (field: string) => (field === 'body' ? 'Row' : (columns.get(field) ?? labelOf(field))),
    read: (field: string) => readValue(values.get(failure.line), columns.get(field) ?? field),
  }));
  return <Examples title="Failed rows" columns={COLUMNS} rows={shown} count={count} actions={actions} />;
}

type FailedRow = ImportReport['errors'][number] & {
  /** The name of a field's column in the file. */
  columnOf: (field: string) => string;
  read: (field: string) => string;
};

const COLUMNS: Column<FailedRow & { id: string }>[] = [
  { label: 'Line', width: 64, isNumber: true, cell: ({ line }) => line },
  { label: 'Listing', width: 200, from: 'medium', cell: (row) => <Listing row={row} /> },
  { label: 'Problem', isLong: true, cell: (row) => <Problem row={row} /> },
];

function Listing({ row: { externalId, read } }: { row: FailedRow }) {
  return (
    <>
      <bdi>{externalId ?? read('externalId')}</bdi>
      <Subline>
        <bdi>{read('address')}</bdi>
      </Subline>
    </>
  );
}

function Problem({ row: { externalId, message, details = [], columnOf, read } }: { row: FailedRow }) {
  return (
    <>
      <Subline isNarrow>
        <bdi>{externalId ?? read('externalId')}</bdi>
      </Subline>
      {details.length === 0 && <bdi>{message}</bdi>}
      {details.map((issue) => {
        const value = read(issue.field);
        return (
          <div key={issue.field}>
            <b>{columnOf(issue.field)}</b>: {value !== '' && !issue.message.includes(value) && <bdi>“{value}”: </bdi>}
            <bdi>{describeRowIssue(issue)}</bdi>
          </div>
        );
      })}
    </>
  );
}

function readValue(values: Record<string, unknown> | undefined, column: string): string {
  const value = values?.[column] ?? '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}

/** Shows warnings about values in a file that are valid but probably wrong. */
export function FileWarnings({ warnings = [] }: { warnings?: FileWarning[] | undefined }) {
  if (warnings.length === 0) return null;
  return (
    <Note color="yellow" title="Units differ">
      {warnings.map(({ field, message }) => (
        <Text key={field} size="sm">
          {describeWarning(message)}
        </Text>
      ))}
    </Note>
  );
}
