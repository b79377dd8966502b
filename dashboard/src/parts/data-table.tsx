import { Checkbox, Text, UnstyledButton } from '@mantine/core';
import { type RowSelectionState, rowSelectionFeature, tableFeatures, useTable } from '@tanstack/react-table';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { sortRows } from '../lib/sort';
import { TableSettings, useTableSettings } from './table-settings';

export type { RowSelectionState } from '@tanstack/react-table';

export interface Column<Row> {
  label: string;
  cell(row: Row): ReactNode;
  /** The width in pixels. The column without a width gets the remaining space, and cannot be hidden. */
  width?: number;
  isNumber?: boolean;
  isLong?: boolean;
  sortBy?: keyof Row & string;
  /** The minimum width of the table that shows this column, unless the user has chosen columns. */
  from?: 'small' | 'medium' | 'large' | 'wide';
  isOptional?: boolean;
}

export interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: Row[];
  /** Whether there are more rows than these; if so, the table cannot sort the rows itself. */
  isPart?: boolean;
  /** The field that the service sorts the rows by, with `-` for descending order. */
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  /** The selected rows by id. */
  selection?: RowSelectionState;
  onSelect?: (selection: RowSelectionState) => void;
  /** Returns the name of a row for screen readers. If it is missing, rows cannot be selected. */
  nameOf?(row: Row): string;
  /** Renders the last column, which is always visible. */
  actions?(row: Row): ReactNode;
  actionsWidth?: number | string;
}

const FEATURES = tableFeatures({ rowSelectionFeature });
const NO_COLUMNS: never[] = [];
const NOTHING_SELECTED = {};

const CHECKBOX_PX = 44;
const ACTIONS_PX = 56;
/** The minimum width of the column that gets the remaining space. */
const REST_PX = 240;

/**
 * A table that always shows the columns without a width and the actions. Until the user chooses columns, the width
 * of the table determines which other columns are visible. After that, all chosen columns are shown, and the table
 * scrolls if they need more space. The arrow keys move between rows, Space selects a row, and Enter or a click opens
 * its link.
 */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { label, columns, rows, selection = NOTHING_SELECTED, onSelect, nameOf, actions } = props;
  const { actionsWidth = ACTIONS_PX, isPart = false, onSort } = props;
  const settings = useTableSettings(label);
  const { chosen, isDense } = settings;
  const [current, setCurrent] = useState<string>();
  const [ownSort, setOwnSort] = useState<string>();
  const sort = onSort === undefined ? ownSort : props.sort;
  const shown = useMemo(
    () => columns.filter(({ label: name, isOptional = false }) => chosen[name] ?? !isOptional),
    [columns, chosen],
  );
  // With a deferred value, a click shows its effect before the other rows are rendered, which takes 100 ms
  // for a page of 50 rows.
  const deferred = useDeferredValue(rows);
  const sorted = useMemo(
    () => (onSort === undefined ? sortRows(rows, ownSort) : deferred),
    [onSort, rows, ownSort, deferred],
  );
  const table = useTable({
    features: FEATURES,
    // This component renders the cells; the library only keeps the selection.
    columns: NO_COLUMNS,
    data: sorted,
    getRowId: ({ id }: Row) => id,
    state: { rowSelection: selection },
    onRowSelectionChange: (change) => onSelect?.(typeof change === 'function' ? change(selection) : change),
  });
  const isWide = columns.some(({ label: name }) => chosen[name] === true);
  const hasSettings = columns.some(({ isOptional }) => isOptional);
  const models = table.getRowModel().rows;
  const first = models.some(({ id }) => id === current) ? current : models[0]?.id;

  return (
    <div className="data-table-wrap" data-wide={isWide || undefined}>
      <table
        className="data-table"
        aria-label={label}
        data-dense={isDense || undefined}
        style={{ minWidth: isWide ? widthOf(shown) : undefined }}
      >
        <thead>
          <tr>
            {nameOf && (
              <th scope="col" className="check" style={{ width: CHECKBOX_PX }}>
                <Checkbox
                  size="xs"
                  aria-label="Select all rows of this page"
                  checked={table.getIsAllRowsSelected()}
                  indeterminate={table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected()}
                  onChange={table.getToggleAllRowsSelectedHandler()}
                />
              </th>
            )}
            {shown.map((column) => (
              <HeaderCell
                key={column.label}
                column={column}
                isFixed={isWide}
                sort={sort}
                onSort={onSort ?? (isPart ? undefined : setOwnSort)}
              />
            ))}
            {(actions || hasSettings) && (
              <th scope="col" className="end" style={{ width: actionsWidth }}>
                <span className="visually-hidden">Actions</span>
                {hasSettings && <TableSettings columns={columns} shown={shown} settings={settings} />}
              </th>
            )}
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

interface HeaderCellProps {
  column: Pick<Column<AnyRow>, 'label' | 'width' | 'isNumber' | 'from'> & { sortBy?: string };
  /** Whether the column is shown regardless of the table's width. */
  isFixed: boolean;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}

const ARROWS = { ascending: ArrowUp, descending: ArrowDown, none: ArrowUpDown };

function HeaderCell({ column, isFixed, sort = '', onSort }: HeaderCellProps) {
  const { label, width, isNumber, sortBy, from } = column;
  const isSortable = sortBy !== undefined && onSort !== undefined;
  const order = sort.startsWith('-') ? 'descending' : 'ascending';
  const direction = sortBy === sort.replace('-', '') ? order : 'none';
  const Arrow = ARROWS[direction];
  // The column without a width contains names: sort it in ascending order first, and all others in descending order.
  const isNextDescending = direction === 'none' ? width !== undefined : direction === 'ascending';
  return (
    <th
      scope="col"
      className={isNumber ? 'number' : undefined}
      data-from={isFixed ? undefined : from}
      style={{ width }}
      aria-sort={isSortable ? direction : undefined}
    >
      {isSortable ? (
        <UnstyledButton className="sort" onClick={() => onSort(`${isNextDescending ? '-' : ''}${sortBy}`)}>
          {label}
          <Arrow size={13} aria-hidden className={direction === 'none' ? 'sort-hint' : undefined} />
        </UnstyledButton>
      ) : (
        label
      )}
    </th>
  );
}

interface AnyRow {
  id: string;
}

interface DataRowProps {
  row: AnyRow;
  model: { toggleSelected: () => void; getToggleSelectedHandler: () => (event: unknown) => void };
  columns: readonly Pick<Column<AnyRow>, 'label' | 'cell' | 'isNumber' | 'isLong' | 'from'>[];
  isFixed: boolean;
  isSelected: boolean;
  isTabStop: boolean;
  nameOf: DataTableProps<AnyRow>['nameOf'];
  actions: DataTableProps<AnyRow>['actions'];
}

/** Memoized, so that only rows that change are rendered again and selecting rows stays fast. */
const DataRow = memo((props: DataRowProps) => {
  const { row, model, columns, isFixed, isSelected, isTabStop, actions, nameOf } = props;
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') followLink(event.currentTarget);
    if (event.key !== ' ' || nameOf === undefined) return;
    event.preventDefault();
    model.toggleSelected();
  };
  return (
    <tr
      tabIndex={isTabStop ? 0 : -1}
      data-id={row.id}
      data-selected={isSelected || undefined}
      onClick={clickRow}
      onKeyDown={press}
    >
      {nameOf && (
        <td className="cell check">
          <Checkbox
            size="xs"
            aria-label={`Select ${nameOf(row)}`}
            checked={isSelected}
            onChange={model.getToggleSelectedHandler()}
          />
        </td>
      )}
      {columns.map(({ label, cell, isNumber, isLong, from }) => (
        <td
          key={label}
          className={`cell${isNumber ? ' number' : ''}${isLong ? ' long' : ''}`}
          data-from={isFixed ? undefined : from}
        >
          {cell(row)}
        </td>
      ))}
      {actions && <td className="cell end">{actions(row)}</td>}
    </tr>
  );
});

function clickRow({ target, currentTarget }: MouseEvent): void {
  // Ignore events from the row's menus and dialogs, which in React also reach the row.
  if (!(target instanceof Element) || !currentTarget.contains(target)) return;
  const isControl = target.closest('a, button, input, label, select') !== null;
  if (!isControl && String(getSelection()) === '') followLink(currentTarget);
}

function followLink(row: Element): void {
  row.querySelector<HTMLElement>('.row-link')?.click();
}

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
  // Ignore inputs and selects, whose values the arrow keys change.
  const isOther = event.target instanceof Element && event.target.closest('input:not([type="checkbox"]), select');
  if (!(target instanceof HTMLElement) || isOther || event.currentTarget !== row?.parentElement) return;
  event.preventDefault();
  target.focus();
}

interface SublineProps {
  /** Shown only while the table is too narrow for the columns that show the same values. */
  isNarrow?: boolean;
  children: ReactNode;
}

/** A second, smaller line in a cell. */
export function Subline({ isNarrow = false, children }: SublineProps) {
  return (
    <Text size="xs" c="dimmed" component="div" className={isNarrow ? 'subline narrow' : 'subline'}>
      {children}
    </Text>
  );
}
