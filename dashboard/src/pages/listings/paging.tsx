import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { formatNumber } from '../../lib/format';
import { LIMIT_DEFAULT, LIMITS, type ListingSearch, withSearch } from './search';

interface PageControlsProps {
  search: ListingSearch;
  nextCursor: string | null;
  count: number;
  total: number | undefined;
}

/**
 * The buttons that open the next and previous pages. Cursors only lead forward, so the browser's history
 * keeps the cursors of earlier pages. The position of a page that was opened by its URL is unknown.
 */
export function PageControls({ search, nextCursor, count, total }: PageControlsProps) {
  const navigate = useNavigate();
  const trail = useRouterState({ select: ({ location }) => location.state.trail }) ?? [];
  const { cursor, limit = LIMIT_DEFAULT } = search;
  const isFirst = cursor === undefined;

  const open = (page: string | null | undefined, before: string[]) =>
    navigate({ to: '/listings', search: { ...search, cursor: page ?? '' }, state: { trail: before } });
  const isPositionKnown = isFirst || trail[0] === '';
  const first = trail.length * Number(limit) + 1;

  return (
    <Group justify="space-between" px={14} py={10} gap="sm" className="page-controls">
      <Text size="sm" c="dimmed">
        {isPositionKnown ? `${formatNumber(first)}–${formatNumber(first + count - 1)}` : count}
        {total !== undefined && ` of ${formatNumber(total)}`}
      </Text>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label="Rows per page"
          data={LIMITS.map((value) => ({ value, label: `${value} rows` }))}
          value={limit}
          onChange={({ currentTarget: { value } }) =>
            navigate({ to: '/listings', search: withSearch(search, { limit: value === LIMIT_DEFAULT ? '' : value }) })
          }
        />
        <Button size="xs" disabled={isFirst} onClick={() => open(trail.at(-1), trail.slice(0, -1))}>
          {isFirst || trail.length > 0 ? 'Previous' : 'First page'}
        </Button>
        <Button size="xs" disabled={nextCursor === null} onClick={() => open(nextCursor, [...trail, cursor ?? ''])}>
          Next
        </Button>
      </Group>
    </Group>
  );
}
