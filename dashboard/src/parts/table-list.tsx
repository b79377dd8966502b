import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from './data-table';
import { LoadedCard, type LoadedProps } from './loaded';

interface TableListProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  query: LoadedProps<{ data: Row[]; nextCursor?: string | null }>['query'];
  /** How many placeholder rows to show. */
  count: number;
  /** Shown instead of a list without rows. */
  empty?: ReactNode;
  /** Shown instead of a page without rows, unless that page is the last one. */
  emptyPage?: string;
  /** Undefined on the first page. */
  cursor?: string | undefined;
  /** Opens another page, if the list has pages. */
  onPage?: (cursor: string | undefined) => void;
  /** Shown next to the buttons that open pages. */
  footer?: ReactNode;
}

export function TableList<Row extends { id: string }>(props: TableListProps<Row>) {
  const { query, count, empty, emptyPage, cursor, onPage, footer, ...table } = props;
  return (
    <LoadedCard query={query} count={count}>
      {({ data, nextCursor = null }) =>
        data.length === 0 && cursor === undefined && nextCursor === null ? (
          empty
        ) : (
          <>
            {data.length > 0 || emptyPage === undefined ? (
              <DataTable {...table} rows={data} isPart={onPage !== undefined} />
            ) : (
              <Text size="sm" p="md">
                {nextCursor === null ? 'No more matches.' : emptyPage}
              </Text>
            )}
            {onPage && <NewestOlder cursor={cursor} next={nextCursor} onOpen={onPage} footer={footer} />}
          </>
        )
      }
    </LoadedCard>
  );
}

interface NewestOlderProps {
  /** Undefined on the first page. */
  cursor: string | undefined;
  /** Null on the last page. */
  next: string | null;
  onOpen: (cursor: string | undefined) => void;
  footer: ReactNode;
}

/** The paging buttons below a list that shows the newest rows first. */
function NewestOlder({ cursor, next, onOpen, footer }: NewestOlderProps) {
  return (
    <Group justify="space-between" gap="xs" px={14} py={10} className="page-controls">
      <Text size="xs" c="dimmed" component="div" flex="1 1 200px">
        {footer}
      </Text>
      <Group gap="xs">
        <Button size="xs" disabled={cursor === undefined} onClick={() => onOpen(undefined)}>
          Newest
        </Button>
        <Button size="xs" disabled={next === null} onClick={() => onOpen(next ?? undefined)}>
          Older
        </Button>
      </Group>
    </Group>
  );
}
