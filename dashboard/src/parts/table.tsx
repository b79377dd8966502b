import type { ReactNode } from 'react';

export interface Column<Row> {
  label: string;
  /** Replaces the visible label. */
  header?: ReactNode;
  sort?: 'ascending' | 'descending' | 'none';
  /** `from-medium` and `from-large` hide the column on narrower screens. */
  className?: string;
  cell: (row: Row, index: number) => ReactNode;
}

interface TableProps<Row> {
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
}

export function Table<Row extends { id: string }>({ label, columns, rows }: TableProps<Row>) {
  return (
    <div className="table-wrap">
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" className={column.className} aria-sort={column.sort}>
                {column.header ?? column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={row.id}>
              {columns.map((column) => (
                <td key={column.label} className={column.className}>
                  {column.cell(row, index)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The last column: its header is only for screen readers. */
export function actions<Row>(cell: (row: Row) => ReactNode): Column<Row> {
  return { label: 'Actions', header: <span className="visually-hidden">Actions</span>, className: 'end', cell };
}
