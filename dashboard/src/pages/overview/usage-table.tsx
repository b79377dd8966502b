import { Link } from '@tanstack/react-router';
import type { Overview } from '../../api/admin';
import { formatNumber } from '../../lib/format';
import { countColumn } from '../../parts/columns';
import { type Column, DataTable } from '../../parts/data-table';
import { useIsAdministrator } from '../../shell/session';
import { OTHERS_COLOR, SERIES_COLORS, totalsByKey } from './usage';

const COLUMNS: Column<ReturnType<typeof totalsByKey>[number] & { color: string }>[] = [
  {
    label: 'Key',
    sortBy: 'name',
    cell: ({ name, isDeleted, color }) => (
      <>
        <span className="status-dot in-text" style={{ background: color }} aria-hidden />
        <bdi>{name}</bdi>
        {isDeleted && ' (deleted)'}
      </>
    ),
  },
  countColumn('Requests', 'requests', { from: 'small' }),
  {
    label: 'Errors',
    width: 100,
    isNumber: true,
    sortBy: 'errors',
    cell: ({ id, errors }) => <Errors keyId={id} count={errors} />,
  },
];

/** A table with the chart's legend and totals. */
export function UsageTable({ usage }: { usage: Overview['usage'] }) {
  const rows = totalsByKey(usage).map((total, index) => ({ ...total, color: SERIES_COLORS[index] ?? OTHERS_COLOR }));
  return <DataTable label="Requests by key" columns={COLUMNS} rows={rows} />;
}

function Errors({ keyId, count }: { keyId: string; count: number }) {
  if (!useIsAdministrator() || count === 0) return formatNumber(count);
  return (
    <Link className="row-link" to="/developers/requests" search={{ keyId, status: '4xx,5xx' }}>
      {formatNumber(count)}
    </Link>
  );
}
