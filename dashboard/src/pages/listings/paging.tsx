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
 * Pages by cursor: the next one's address is known, the way back is kept with the browser's history. Where a page stands
 * in the list is known only if the way began with the first one, not if it began with an address that was opened.
 */
export function PageControls({ search, nextCursor, count, total }: PageControlsProps) {
  const navigate = useNavigate();
  const trail = useRouterState({ select: ({ location }) => location.state.trail }) ?? [];
  const { cursor, limit = LIMIT_DEFAULT } = search;
  const isFirst = cursor === undefined;

  const next = () =>
    navigate({
      to: '/listings',
      search: { ...search, cursor: nextCursor ?? '' },
      state: { trail: [...trail, cursor ?? ''] },
    });
  const previous = () =>
    navigate({
      to: '/listings',
      search: { ...search, cursor: trail.at(-1) ?? '' },
      state: { trail: trail.slice(0, -1) },
    });
  const isPlaceKnown = isFirst || trail[0] === '';
  const first = trail.length * Number(limit) + 1;

  return (
    <Group justify="space-between" px={14} py={10} gap="sm" className="page-controls">
      <Text size="sm" c="dimmed">
        {isPlaceKnown ? `${formatNumber(first)}–${formatNumber(first + count - 1)}` : count}
        {total !== undefined && ` of ${formatNumber(total)}`}
      </Text>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label="Rows on a page"
          data={LIMITS.map((value) => ({ value, label: `${value} rows` }))}
          value={limit}
          onChange={({ currentTarget: { value } }) =>
            navigate({ to: '/listings', search: withSearch(search, { limit: value === LIMIT_DEFAULT ? '' : value }) })
          }
        />
        <Button size="xs" variant="default" disabled={isFirst} onClick={previous}>
          {isFirst || trail.length > 0 ? 'Previous' : 'First page'}
        </Button>
        <Button size="xs" variant="default" disabled={nextCursor === null} onClick={next}>
          Next
        </Button>
      </Group>
    </Group>
  );
}
