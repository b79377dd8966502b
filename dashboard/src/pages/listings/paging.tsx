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
 * Pages by cursor: the next one's address is known, the way back is kept with the browser's history. On a page that was
 * opened by its address alone only the first one can be gone back to.
 */
export function PageControls({ search, nextCursor, count, total }: PageControlsProps) {
  const navigate = useNavigate();
  const trail = useRouterState({ select: ({ location }) => location.state.trail });
  const { cursor, limit = LIMIT_DEFAULT } = search;
  const isFirst = cursor === undefined;

  const next = () =>
    navigate({
      to: '/listings',
      search: { ...search, cursor: nextCursor ?? '' },
      state: { trail: isFirst ? [''] : [...(trail ?? []), cursor] },
    });
  const previous = () =>
    navigate({
      to: '/listings',
      search: { ...search, cursor: trail?.at(-1) ?? '' },
      state: trail === undefined ? {} : { trail: trail.slice(0, -1) },
    });
  const first = trail === undefined ? undefined : trail.length * Number(limit) + 1;

  return (
    <Group justify="space-between" px={14} py={10} gap="sm" className="page-controls">
      <Text size="sm" c="dimmed">
        {isFirst || first !== undefined
          ? `${formatNumber(first ?? 1)}–${formatNumber((first ?? 1) + count - 1)}`
          : count}
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
          {isFirst || trail !== undefined ? 'Previous' : 'First page'}
        </Button>
        <Button size="xs" variant="default" disabled={nextCursor === null} onClick={next}>
          Next
        </Button>
      </Group>
    </Group>
  );
}
