import { Badge, Button, Text } from '@mantine/core';
import type { ApiKey } from '../../api/types';
import { Time } from '../../parts/time';

const ACCESS_NAMES = { full: 'Full access', read: 'Read only' };

export function ApiKeyTable({ keys, onDelete }: { keys: ApiKey[]; onDelete: (key: ApiKey) => void }) {
  return (
    <div className="table-wrap">
      <table className="table" aria-label="API keys">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" className="from-medium">
              Key
            </th>
            <th scope="col" className="from-medium">
              Access
            </th>
            <th scope="col" className="from-large">
              Made by
            </th>
            <th scope="col" className="from-large">
              Created
            </th>
            <th scope="col">Last used</th>
            <th scope="col" className="from-medium">
              Expires
            </th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <ApiKeyRow key={key.id} apiKey={key} onDelete={() => onDelete(key)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ApiKeyRow({ apiKey, onDelete }: { apiKey: ApiKey; onDelete: () => void }) {
  const { id, name, start, access, createdBy, createdAt, lastUsedAt, expiresAt } = apiKey;
  return (
    <tr>
      <td className="wide">
        <Text component="bdi" size="sm" fw={500} id={`name-${id}`}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" className="until-medium" component="div">
          <code>{start}…</code> · {ACCESS_NAMES[access]}
          {expiresAt !== null && (
            <>
              {' '}
              · expires <Expiry at={expiresAt} />
            </>
          )}
        </Text>
      </td>
      <td className="from-medium">
        <code>{start}…</code>
      </td>
      <td className="from-medium nowrap">{ACCESS_NAMES[access]}</td>
      <td className="from-large name">{createdBy === null ? <Dash what="The operator" /> : <bdi>{createdBy}</bdi>}</td>
      <td className="from-large nowrap">
        <Time at={createdAt} />
      </td>
      <td className="nowrap">{lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />}</td>
      <td className="from-medium nowrap">{expiresAt === null ? 'Never' : <Expiry at={expiresAt} />}</td>
      <td className="end">
        <Button size="compact-sm" variant="default" onClick={onDelete} aria-describedby={`name-${id}`}>
          Delete
        </Button>
      </td>
    </tr>
  );
}

function Expiry({ at }: { at: string }) {
  if (new Date(at).getTime() > Date.now()) return <Time at={at} />;
  return (
    <Badge variant="default" size="sm" tt="none">
      Expired
    </Badge>
  );
}

function Dash({ what }: { what: string }) {
  return (
    <Text component="span" size="sm" c="dimmed">
      {what}
    </Text>
  );
}
