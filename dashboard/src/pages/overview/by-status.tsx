import { Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { listingStatusValues } from '../../api/admin';
import type { Overview } from '../../api/types';
import { formatChoice, formatNumber } from '../../lib/format';
import { STATUS_COLORS } from '../listings/status';

export function ByStatus({ overview: { listings } }: { overview: Overview }) {
  const parts = listingStatusValues.flatMap((status) => {
    const count = listings.byStatus[status] ?? 0;
    return count === 0 ? [] : [{ status, count }];
  });
  if (parts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No listings yet.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <div className="meter" aria-hidden>
        {parts.map(({ status, count }) => (
          <div key={status} style={{ flexGrow: count, background: STATUS_COLORS[status] }} />
        ))}
      </div>
      <Group gap="lg" component="ul" className="plain-list">
        {parts.map(({ status, count }) => (
          <li key={status}>
            <Link className="quiet-link status-link" to="/listings" search={{ status }}>
              <span className="status-dot" style={{ background: STATUS_COLORS[status] }} aria-hidden />
              {formatChoice(status)}
              <Text component="span" size="sm" c="dimmed">
                {formatNumber(count)}
              </Text>
            </Link>
          </li>
        ))}
      </Group>
    </Stack>
  );
}
