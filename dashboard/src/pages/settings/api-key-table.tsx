import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApiKey } from '../../api/admin';
import { overviewQuery } from '../../api/queries';
import { formatNumber } from '../../lib/format';
import { timeColumn } from '../../parts/columns';
import { type Column, DataTable, Subline } from '../../parts/data-table';
import { LastUsed, Time } from '../../parts/time';
import { countByHour } from '../overview/usage';
import { KeyMenu } from './key-menu';

const ACCESS: Record<ApiKey['access'], string> = { full: 'Full access', read: 'Read only' };

type KeyRow = ApiKey & { hours: number[] };

const COLUMNS: Column<KeyRow>[] = [
  { label: 'Name', sortBy: 'name', cell: (key) => <Name apiKey={key} /> },
  { label: 'Access', width: 116, from: 'large', sortBy: 'access', cell: ({ access }) => ACCESS[access] },
  {
    label: 'Created',
    width: 140,
    from: 'wide',
    sortBy: 'createdAt',
    cell: ({ createdAt, createdBy }) => <Creation at={createdAt} by={createdBy} />,
  },
  timeColumn('Last used', 'lastUsedAt', {}, 'Never'),
  {
    label: 'Requests (24 h)',
    width: 180,
    from: 'large',
    isNumber: true,
    sortBy: 'requests24h',
    cell: (key) => <Requests apiKey={key} />,
  },
  {
    label: 'Expires',
    width: 120,
    from: 'medium',
    sortBy: 'expiresAt',
    cell: ({ expiresAt }) => <Expiry at={expiresAt} />,
  },
];

export function ApiKeyTable({ keys, onDelete }: { keys: ApiKey[]; onDelete: (key: ApiKey) => void }) {
  const overview = useQuery({ ...overviewQuery, refetchInterval: REFETCH_MS });
  const hours = overview.data && countByHour(overview.data.usage, 'requests');
  return (
    <DataTable
      label="API keys"
      columns={COLUMNS}
      rows={keys.map((key) => ({ ...key, hours: hours?.get(key.id) ?? [] }))}
      actionsWidth={124}
      actions={(key) => (
        <Group gap={6} justify="flex-end" wrap="nowrap">
          <Button size="compact-sm" onClick={() => onDelete(key)} aria-describedby={`name-${key.id}`}>
            Delete
          </Button>
          <KeyMenu apiKey={key} />
        </Group>
      )}
    />
  );
}

const REFETCH_MS = 10_000;

function Creation({ at, by }: { at: string; by: string | null }) {
  return (
    <>
      <Time at={at} />
      <Subline>
        by <bdi title={by ?? undefined}>{by ?? 'the operator'}</bdi>
      </Subline>
    </>
  );
}

function Name({ apiKey: { id, name, start, access, expiresAt, lastUsedAt, replacedBy } }: { apiKey: ApiKey }) {
  const expiry = <Expiry at={expiresAt} />;
  const lastUsed = <LastUsed at={lastUsedAt} />;
  return (
    <>
      <Text component="bdi" size="sm" fw={500} id={`name-${id}`} title={name}>
        {name}
      </Text>
      <Subline>
        <code>{start}…</code>
        {replacedBy !== null && <> · Replaced, {lastUsed}</>}
      </Subline>
      <Subline isNarrow>
        {ACCESS[access]}
        {expiresAt !== null && <> · expires {expiry}</>}
        {replacedBy === null && <> · {lastUsed}</>}
      </Subline>
    </>
  );
}

function Requests({ apiKey: { id, requests24h, errors24h, hours } }: { apiKey: KeyRow }) {
  return (
    <Group gap={10} justify="flex-end" wrap="nowrap">
      <Sparkline counts={hours} />
      <div>
        <Link className="quiet-link" to="/developers/requests" search={{ keyId: id }}>
          {formatNumber(requests24h)}
        </Link>
        {errors24h > 0 && <Subline>{formatNumber(errors24h)} failed</Subline>}
      </div>
    </Group>
  );
}

const BAR_PX = 3;
const HEIGHT_PX = 20;

/** A chart with one bar per hour. Screen readers read the number next to it instead. */
function Sparkline({ counts }: { counts: number[] }) {
  const most = Math.max(...counts);
  return (
    <svg width={counts.length * BAR_PX} height={HEIGHT_PX} fill="var(--mantine-color-evergreen-6)" aria-hidden>
      {counts.map((count, hour) => {
        const height = Math.max((count / most) * HEIGHT_PX, 1);
        // biome-ignore lint/suspicious/noArrayIndexKey: their order never changes
        return <rect key={hour} x={hour * BAR_PX} y={HEIGHT_PX - height} width={BAR_PX - 1} height={height} />;
      })}
    </svg>
  );
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return 'Never';
  if (new Date(at).getTime() > Date.now()) return <Time at={at} />;
  return <Badge>Expired</Badge>;
}
