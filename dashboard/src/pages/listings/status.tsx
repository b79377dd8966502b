import { Group } from '@mantine/core';
import type { Listing } from '../../api/admin';
import { formatChoice } from '../../lib/format';

export const STATUS_COLORS: Record<Listing['status'], string> = {
  coming_soon: '#4a90d9',
  active: '#2f9c6f',
  active_under_contract: '#d9682e',
  pending: '#d9a514',
  hold: '#8a6fd1',
  withdrawn: '#8b95a1',
  closed: '#5b6470',
  expired: '#b0793f',
  canceled: '#c2564b',
};

export function Status({ status }: { status: Listing['status'] }) {
  return (
    <Group gap={7} wrap="nowrap" component="span" display="inline-flex">
      <span className="status-dot" style={{ background: STATUS_COLORS[status] }} aria-hidden />
      {formatChoice(status)}
    </Group>
  );
}
