import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { activityQuery } from '../api/queries';
import type { Activity } from '../api/types';
import { Email } from '../parts/email';
import { LoadedCard } from '../parts/loaded';
import { Page } from '../parts/page';
import { EmptyState } from '../parts/states';
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
  const query = useQuery(activityQuery({ limit: LIMIT, cursor }));
  const navigate = useNavigate();
  const open = (next: string | null | undefined) => navigate({ to: '/activity', search: next ? { cursor: next } : {} });
  return (
    <Page
      title="Activity"
      description="What people did in the dashboard and the operator on the command line, when and from where. It cannot be changed. What programs do with keys is not in it."
    >
      <LoadedCard query={query}>
        {({ data, nextCursor }) =>
          data.length === 0 ? (
            <NothingYet />
          ) : (
            <>
              <ActivityTable rows={data} />
              <Group justify="flex-end" gap="xs" px={14} py={10} className="page-controls">
                <Button size="xs" variant="default" disabled={cursor === undefined} onClick={() => open(undefined)}>
                  Newest
                </Button>
                <Button size="xs" variant="default" disabled={nextCursor === null} onClick={() => open(nextCursor)}>
                  Older
                </Button>
              </Group>
            </>
          )
        }
      </LoadedCard>
    </Page>
  );
}

function NothingYet() {
  return (
    <EmptyState icon={<History size={22} />} title="Nothing has happened yet">
      Sign-ins, keys, members and changes made here are kept from now on.
    </EmptyState>
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
                  <bdi>{actor.name}</bdi>
                  {actor.email !== null && (
                    <>
                      {' · '}
                      <Email>{actor.email}</Email>
                    </>
                  )}
                  {address !== null && ` · ${address}`}
                </Text>
              </td>
              <td className="from-medium">
                <bdi>{actor.name}</bdi>
                {actor.email !== null && (
                  <Text size="xs" c="dimmed" component="div">
                    <Email>{actor.email}</Email>
                  </Text>
                )}
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
