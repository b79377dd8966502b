import { Badge, Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ApiKey } from '../../api/types';
import { formatNumber } from '../../lib/format';
import { actions, type Column, Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { KeyMenu } from './key-menu';

const ACCESS: Record<ApiKey['access'], string> = { full: 'Full access', read: 'Read only' };

const COLUMNS: Column<ApiKey>[] = [
  { label: 'Name', className: 'wide', cell: (key) => <Name apiKey={key} /> },
  { label: 'Access', className: 'from-medium nowrap', cell: ({ access }) => ACCESS[access] },
  { label: 'Created by', className: 'from-large name', cell: ({ createdBy }) => <bdi>{createdBy ?? 'Operator'}</bdi> },
  {
    label: 'Last used',
    className: 'nowrap from-medium',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />),
  },
  { label: 'Requests (24 h)', className: 'number from-large', cell: (key) => <Requests apiKey={key} /> },
  { label: 'Expires', className: 'from-medium nowrap', cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
];

export function ApiKeyTable({ keys, onDelete }: { keys: ApiKey[]; onDelete: (key: ApiKey) => void }) {
  const remove = actions<ApiKey>((key) => (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Button size="compact-sm" variant="default" onClick={() => onDelete(key)} aria-describedby={`name-${key.id}`}>
        Delete
      </Button>
      <KeyMenu apiKey={key} />
    </Group>
  ));
  return <Table label="API keys" columns={[...COLUMNS, remove]} rows={keys} />;
}

function Name({ apiKey: { id, name, start, access, expiresAt, lastUsedAt, replacedBy } }: { apiKey: ApiKey }) {
  return (
    <>
      <Text component="bdi" size="sm" fw={500} id={`name-${id}`}>
        {name}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        <code>{start}…</code>
      </Text>
      <Text size="xs" c="dimmed" className="until-medium" component="div">
        {ACCESS[access]}
        {expiresAt !== null && (
          <>
            {' · expires '}
            <Expiry at={expiresAt} />
          </>
        )}
        {replacedBy === null && (
          <>
            {' · '}
            {lastUsedAt === null ? 'never used' : <LastUsed at={lastUsedAt} />}
          </>
        )}
      </Text>
      {replacedBy !== null && (
        <Text size="xs" c="dimmed" component="div">
          Rolled. The old key was {lastUsedAt === null ? 'never used' : <LastUsed at={lastUsedAt} />}.
        </Text>
      )}
    </>
  );
}

function LastUsed({ at }: { at: string }) {
  return (
    <>
      last used <Time at={at} />
    </>
  );
}

function Requests({ apiKey: { id, requests24h, errors24h } }: { apiKey: ApiKey }) {
  return (
    <>
      <Link className="quiet-link" to="/developers/requests" search={{ keyId: id }}>
        {formatNumber(requests24h)}
      </Link>
      {errors24h > 0 && (
        <Text size="xs" c="dimmed" component="div">
          {formatNumber(errors24h)} failed
        </Text>
      )}
    </>
  );
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return 'Never';
  if (new Date(at).getTime() > Date.now()) return <Time at={at} />;
  return (
    <Badge variant="default" size="sm" tt="none">
      Expired
    </Badge>
  );
}
