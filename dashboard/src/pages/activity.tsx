import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { activityQuery } from '../api/queries';
import type { Activity } from '../api/types';
import { Page } from '../parts/page';
import { EmptyState, ErrorState, LoadingRows } from '../parts/states';
import { Time } from '../parts/time';
import { useIsAdministrator } from '../shell/session';
import { describeAction } from './activity-words';
import { ForAdministrators } from './settings/settings';

const LIMIT = '50';

export function ActivityPage() {
  return useIsAdministrator() ? <ActivityLog /> : <ForAdministrators />;
}

/** Who did what, when and from where; nothing in it can be changed. */
function ActivityLog() {
  const { cursor } = useSearch({ from: '/inside/activity' });
  const { data, error, refetch, isPlaceholderData } = useQuery(activityQuery({ limit: LIMIT, cursor }));
  const navigate = useNavigate();
  return (
    <Page
      title="Activity"
      description="What people did in the dashboard and the operator on the command line, when and from where. It cannot be changed. What programs do with keys is not in it."
    >
      <div className={isPlaceholderData ? 'card is-stale' : 'card'}>
        {error !== null && <ErrorState error={error} onRetry={refetch} />}
        {error === null && data === undefined && <LoadingRows />}
        {data?.data.length === 0 && (
          <EmptyState icon={<History size={22} />} title="Nothing has happened yet">
            Sign-ins, keys, members and changes made here are kept from now on.
          </EmptyState>
        )}
        {data !== undefined && data.data.length > 0 && (
          <>
            <ActivityTable rows={data.data} />
            <Group justify="flex-end" gap="xs" px={14} py={10} className="page-controls">
              <Button
                size="xs"
                variant="default"
                disabled={cursor === undefined}
                onClick={() => navigate({ to: '/activity', search: {} })}
              >
                Newest
              </Button>
              <Button
                size="xs"
                variant="default"
                disabled={data.nextCursor === null}
                onClick={() => navigate({ to: '/activity', search: { cursor: data.nextCursor ?? '' } })}
              >
                Older
              </Button>
            </Group>
          </>
        )}
      </div>
    </Page>
  );
}

function ActivityTable({ rows }: { rows: Activity[] }) {
  return (
    <div className="table-wrap">
      <table className="table" aria-label="Activity">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" className="from-medium">
              Who
            </th>
            <th scope="col" className="from-medium">
              From
            </th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, at, actor, action, target, address }) => (
            <tr key={id}>
              <td className="wide">
                {describeAction(action)}
                {target?.name && (
                  <>
                    {' '}
                    <Text component="bdi" size="sm" fw={500}>
                      {target.name}
                    </Text>
                  </>
                )}
                <Text size="xs" c="dimmed" className="until-medium" component="div">
                  <bdi>{actor.name ?? describeActor(actor.type)}</bdi>
                  {address !== null && ` · ${address}`}
                </Text>
              </td>
              <td className="from-medium name">
                <bdi>{actor.name ?? describeActor(actor.type)}</bdi>
              </td>
              <td className="from-medium">{address === null ? '' : <code>{address}</code>}</td>
              <td className="nowrap">
                <Time at={at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const ACTORS: Record<string, string> = { operator: 'The operator', system: 'The service', api_key: 'A key' };

function describeActor(type: string): string {
  return ACTORS[type] ?? 'Somebody';
}
