import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from './data-table';
import { LoadedCard, type LoadedProps } from './loaded';
import { NewestOlder } from './newest-older';

interface TableListProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  query: LoadedProps<{ data: Row[]; nextCursor?: string | null }>['query'];
  /** How many placeholder rows to show. */
  count: number;
  /** Shown instead of a table without rows. */
  empty?: ReactNode;
  /** Undefined on the first page. */
  cursor?: string | undefined;
  /** Opens another page, if the list has pages. */
  onPage?: (cursor: string | undefined) => void;
}

/** A list from the service in a card. */
export function TableList<Row extends { id: string }>(props: TableListProps<Row>) {
  const { query, count, empty, cursor, onPage, ...table } = props;
  return (
    <LoadedCard query={query} count={count}>
      {({ data, nextCursor = null }) =>
        data.length === 0 && cursor === undefined ? (
          empty
        ) : (
          <>
            <DataTable {...table} rows={data} isPart={onPage !== undefined} />
            {onPage && <NewestOlder cursor={cursor} next={nextCursor} onOpen={onPage} />}
          </>
        )
      }
    </LoadedCard>
  );
}
