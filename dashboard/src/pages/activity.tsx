import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { activityQuery } from '../api/queries';
import type { Activity } from '../api/types';
import { Email } from '../parts/email';
import { LoadedCard } from '../parts/loaded';
import { NewestOlder } from '../parts/newest-older';
import { Page } from '../parts/page';
import { EmptyState } from '../parts/states';
import { type Column, Table } from '../parts/table';
import { Time } from '../parts/time';
import { useIsAdministrator } from '../shell/session';
import { describeAction } from './activity-texts';
import { ForAdministrators } from './for-administrators';

const LIMIT = '50';

const COLUMNS: Column<Activity>[] = [
  { label: 'Action', className: 'wide', cell: (entry) => <Action entry={entry} /> },
  { label: 'User', className: 'from-medium', cell: (entry) => <Actor entry={entry} /> },
  { label: 'IP address', className: 'from-medium', cell: ({ address }) => address !== null && <code>{address}</code> },
  { label: 'Time', className: 'nowrap', cell: ({ at }) => <Time at={at} /> },
];

export function ActivityPage() {
  return useIsAdministrator() ? <ActivityLog /> : <ForAdministrators />;
}

function ActivityLog() {
  const { cursor } = useSearch({ from: '/inside/activity' });
  const query = useQuery(activityQuery({ limit: LIMIT, cursor }));
  const navigate = useNavigate();
  const open = (next: string | undefined) => navigate({ to: '/activity', search: next ? { cursor: next } : {} });
  return (
    <Page
      title="Activity"
      description="Actions in the dashboard and on the command line. The log can’t be changed. API requests aren’t included."
    >
      <LoadedCard query={query}>
        {({ data, nextCursor }) =>
          data.length === 0 ? (
            <EmptyState icon={History} title="No activity yet">
              Sign-ins and changes to API keys, members, and listings appear here.
            </EmptyState>
          ) : (
            <>
              <Table label="Activity" columns={COLUMNS} rows={data} />
              <NewestOlder cursor={cursor} next={nextCursor} onOpen={open} />
            </>
          )
        }
      </LoadedCard>
    </Page>
  );
}

function Action({ entry: { action, actor, target, address } }: { entry: Activity }) {
  return (
    <>
      {describeAction(action)}{' '}
      <Text component="bdi" size="sm" fw={500}>
        {target?.name}
      </Text>
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
    </>
  );
}

function Actor({ entry: { actor } }: { entry: Activity }) {
  return (
    <>
      <bdi>{actor.name}</bdi>
      {actor.email !== null && (
        <Text size="xs" c="dimmed" component="div">
          <Email>{actor.email}</Email>
        </Text>
      )}
    </>
  );
}
