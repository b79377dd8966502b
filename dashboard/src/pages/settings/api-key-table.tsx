import { Badge, Button, Text } from '@mantine/core';
import type { ApiKey } from '../../api/types';
import { actions, type Column, Table } from '../../parts/table';
import { Time } from '../../parts/time';

const ACCESS: Record<ApiKey['access'], string> = { full: 'Full access', read: 'Read only' };

const COLUMNS: Column<ApiKey>[] = [
  { label: 'Name', className: 'wide', cell: (key) => <Name apiKey={key} /> },
  { label: 'Key', className: 'from-medium', cell: ({ start }) => <code>{start}…</code> },
  { label: 'Access', className: 'from-medium nowrap', cell: ({ access }) => ACCESS[access] },
  { label: 'Created by', className: 'from-large name', cell: ({ createdBy }) => <bdi>{createdBy ?? 'Operator'}</bdi> },
  { label: 'Created', className: 'from-large nowrap', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    label: 'Last used',
    className: 'nowrap',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />),
  },
  { label: 'Expires', className: 'from-medium nowrap', cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
];

export function ApiKeyTable({ keys, onDelete }: { keys: ApiKey[]; onDelete: (key: ApiKey) => void }) {
  const remove = actions<ApiKey>((key) => (
    <Button size="compact-sm" variant="default" onClick={() => onDelete(key)} aria-describedby={`name-${key.id}`}>
      Delete
    </Button>
  ));
  return <Table label="API keys" columns={[...COLUMNS, remove]} rows={keys} />;
}

function Name({ apiKey: { id, name, start, access, expiresAt } }: { apiKey: ApiKey }) {
  return (
    <>
      <Text component="bdi" size="sm" fw={500} id={`name-${id}`}>
        {name}
      </Text>
      <Text size="xs" c="dimmed" className="until-medium" component="div">
        <code>{start}…</code> · {ACCESS[access]}
        {expiresAt !== null && (
          <>
            {' · expires '}
            <Expiry at={expiresAt} />
          </>
        )}
      </Text>
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
