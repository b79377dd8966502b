import { Checkbox, UnstyledButton } from '@mantine/core';
import { type RowSelectionState, rowSelectionFeature, tableFeatures, useTable } from '@tanstack/react-table';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, useMemo, useState } from 'react';
import { TableSettings, useTableSettings } from './table-settings';

export type { RowSelectionState } from '@tanstack/react-table';

export interface DataColumn<Row> {
  id: string;
  label: string;
  cell(row: Row): ReactNode;
  /** Pixels. The column without a width takes the rest, and cannot be hidden. */
  width?: number;
  isNumber?: boolean;
  /** The field to sort by. */
  sortBy?: string;
  /** How wide the table must be to show the column, unless the user has chosen columns. */
  from?: 'small' | 'medium' | 'large' | 'wide';
  /** Hidden until the user chooses it. */
  isOptional?: boolean;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly DataColumn<Row>[];
  rows: Row[];
  /** What a row is called for screen readers. */
  nameOf(row: Row): string;
  /** The field that the rows are sorted by, with `-` for descending order. */
  sort: string | undefined;
  onSort: (sort: string) => void;
  /** Selected rows by id. */
  selection: RowSelectionState;
  onSelect: (selection: RowSelectionState) => void;
  onOpen(row: Row): void;
  actions(row: Row): ReactNode;
}

const FEATURES = tableFeatures({ rowSelectionFeature });
const NO_COLUMNS: never[] = [];

const CHECKBOX_PX = 44;
const ACTIONS_PX = 56;
/** The least width of the column that takes the rest. */
const REST_PX = 240;

/**
 * A table that always shows its first and last column. The columns follow the width of the table until the user chooses
 * some of them: then they are all shown, and the table scrolls if they need more room. The arrow keys move between
 * rows, Space selects a row, and Enter opens it.
 */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { label, columns, rows, selection, onSelect, onOpen, actions, nameOf } = props;
  const settings = useTableSettings(label);
  const { chosen, isDense } = settings;
  const [current, setCurrent] = useState<string>();
  const shown = useMemo(
    () => columns.filter(({ id, isOptional = false }) => chosen[id] ?? !isOptional),
    [columns, chosen],
  );
  const table = useTable({
    features: FEATURES,
    // The cells are rendered here; the library keeps the selection.
    columns: NO_COLUMNS,
    data: rows,
    getRowId: ({ id }: Row) => id,
    state: { rowSelection: selection },
    onRowSelectionChange: (change) => onSelect(typeof change === 'function' ? change(selection) : change),
  });
  const isWide = columns.some(({ id }) => chosen[id] === true);
  const models = table.getRowModel().rows;
  const first = models.some(({ id }) => id === current) ? current : models[0]?.id;

  return (
    <div className="data-table-wrap" data-wide={isWide || undefined}>
      <table
        className="table data-table"
        aria-label={label}
        data-dense={isDense || undefined}
        style={{ minWidth: isWide ? widthOf(shown) : undefined }}
      >
        <thead>
          <tr>
            <th scope="col" className="check" style={{ width: CHECKBOX_PX }}>
              <Checkbox
                size="xs"
                aria-label="Select all rows of this page"
                checked={table.getIsAllRowsSelected()}
                indeterminate={table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected()}
                onChange={table.getToggleAllRowsSelectedHandler()}
              />
            </th>
            {shown.map((column) => (
              <HeaderCell key={column.id} column={column} isFixed={isWide} {...props} />
            ))}
            <th scope="col" className="end" style={{ width: ACTIONS_PX }}>
              <span className="visually-hidden">Actions</span>
              <TableSettings columns={columns} shown={shown} settings={settings} />
            </th>
          </tr>
        </thead>
        <tbody onKeyDown={moveFocus} onFocus={({ target }) => setCurrent(rowAround(target)?.dataset.id)}>
          {models.map((model) => (
            <DataRow
              key={model.id}
              row={model.original}
              model={model}
              columns={shown}
              isFixed={isWide}
              isSelected={model.getIsSelected()}
              isTabStop={model.id === first}
              onOpen={onOpen}
              actions={actions}
              nameOf={nameOf}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function widthOf(columns: readonly { width?: number }[]): number {
  return columns.reduce((sum, { width = REST_PX }) => sum + width, CHECKBOX_PX + ACTIONS_PX);
}

interface HeaderCellProps<Row> extends Pick<DataTableProps<Row>, 'sort' | 'onSort'> {
  column: DataColumn<Row>;
  /** Whether the column is shown in any width. */
  isFixed: boolean;
}

const ARROWS = { ascending: ArrowUp, descending: ArrowDown, none: ArrowUpDown };

function HeaderCell<Row>({ column, isFixed, sort = '', onSort }: HeaderCellProps<Row>) {
  const { label, width, isNumber, sortBy, from } = column;
  const order = sort.startsWith('-') ? 'descending' : 'ascending';
  const direction = sortBy === sort.replace('-', '') ? order : 'none';
  const Arrow = ARROWS[direction];
  return (
    <th
      scope="col"
      className={isNumber ? 'number' : undefined}
      data-from={isFixed ? undefined : from}
      style={{ width }}
      aria-sort={sortBy === undefined ? undefined : direction}
    >
      {sortBy === undefined ? (
        label
      ) : (
        <UnstyledButton className="sort" onClick={() => onSort(direction === 'descending' ? sortBy : `-${sortBy}`)}>
          {label}
          <Arrow size={13} aria-hidden className={direction === 'none' ? 'sort-hint' : undefined} />
        </UnstyledButton>
      )}
    </th>
  );
}

interface AnyRow {
  id: string;
}

interface DataRowProps extends Pick<DataTableProps<AnyRow>, 'onOpen' | 'actions' | 'nameOf'> {
  row: AnyRow;
  model: { toggleSelected: () => void; getToggleSelectedHandler: () => (event: unknown) => void };
  columns: readonly DataColumn<AnyRow>[];
  isFixed: boolean;
  isSelected: boolean;
  isTabStop: boolean;
}

/** Only the rows that change are rendered again, so that selecting stays fast. */
const DataRow = memo((props: DataRowProps) => {
  const { row, model, columns, isFixed, isSelected, isTabStop, onOpen, actions, nameOf } = props;
  const open = ({ target }: MouseEvent) => {
    const isControl = target instanceof Element && target.closest('a, button, input, label, [role="menu"]') !== null;
    if (!isControl && String(getSelection()) === '') onOpen(row);
  };
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') onOpen(row);
    if (event.key !== ' ') return;
    event.preventDefault();
    model.toggleSelected();
  };
  return (
    <tr
      tabIndex={isTabStop ? 0 : -1}
      data-id={row.id}
      data-selected={isSelected || undefined}
      onClick={open}
      onKeyDown={press}
    >
      <td className="cell check">
        <Checkbox
          size="xs"
          aria-label={`Select ${nameOf(row)}`}
          checked={isSelected}
          onChange={model.getToggleSelectedHandler()}
        />
      </td>
      {columns.map(({ id, cell, isNumber, from }) => (
        <td key={id} className={isNumber ? 'cell number' : 'cell'} data-from={isFixed ? undefined : from}>
          {cell(row)}
        </td>
      ))}
      <td className="cell end">{actions(row)}</td>
    </tr>
  );
});

function rowAround(target: EventTarget): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('tr') : null;
}

function moveFocus(event: KeyboardEvent): void {
  const row = rowAround(event.target);
  const targets: Partial<Record<string, Element | null | undefined>> = {
    ArrowDown: row?.nextElementSibling,
    ArrowUp: row?.previousElementSibling,
    Home: row?.parentElement?.firstElementChild,
    End: row?.parentElement?.lastElementChild,
  };
  const target = targets[event.key];
  if (!(target instanceof HTMLElement) || event.currentTarget !== row?.parentElement) return;
  event.preventDefault();
  target.focus();
}
