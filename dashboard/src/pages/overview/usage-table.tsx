import { Link } from '@tanstack/react-router';
import type { Overview } from '../../api/types';
import { formatNumber } from '../../lib/format';
import { type Column, Table } from '../../parts/table';
import { useIsAdministrator } from '../../shell/session';
import { OTHERS_COLOR, SERIES_COLORS, totalsByKey } from './usage';

const COLUMNS: Column<ReturnType<typeof totalsByKey>[number]>[] = [
  {
    label: 'Key',
    className: 'wide',
    cell: ({ name, isDeleted }, index) => (
      <>
        <span className="status-dot in-text" style={{ background: SERIES_COLORS[index] ?? OTHERS_COLOR }} aria-hidden />
        <bdi>{name}</bdi>
        {isDeleted && ' (deleted)'}
      </>
    ),
  },
  { label: 'Requests', className: 'number', cell: ({ requests }) => formatNumber(requests) },
  { label: 'Errors', className: 'number', cell: ({ id, errors }) => <Errors keyId={id} count={errors} /> },
];

/** The legend and the numbers of the chart. */
export function UsageTable({ usage }: { usage: Overview['usage'] }) {
  return <Table label="Requests by key" columns={COLUMNS} rows={totalsByKey(usage)} />;
}

function Errors({ keyId, count }: { keyId: string; count: number }) {
  if (!useIsAdministrator() || count === 0) return formatNumber(count);
  return (
    <Link className="quiet-link" to="/developers/requests" search={{ keyId, status: '4xx,5xx' }}>
      {formatNumber(count)}
    </Link>
  );
}
