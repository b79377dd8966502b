import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type LinkProps, useSearch } from '@tanstack/react-router';
import { History, SearchX } from 'lucide-react';
import type { AuditEntry } from '../api/admin';
import { activityQuery } from '../api/queries';
import { useListSearch } from '../lib/search';
import { timeColumn } from '../parts/columns';
import { type Column, Subline } from '../parts/data-table';
import { TextLink } from '../parts/links';
import { Page } from '../parts/page';
import { EmptyState } from '../parts/states';
import { TableList } from '../parts/table-list';
import { Time } from '../parts/time';
import { useIsAdministrator } from '../shell/session';
import { ActivityFilters, toActivityQuery } from './activity-filters';
import { describeAction } from './activity-texts';
import { ForAdministrators } from './for-administrators';

const LIMIT = '50';

const COLUMNS: Column<AuditEntry>[] = [
  { label: 'Action', isLong: true, cell: (entry) => <Action entry={entry} /> },
  { label: 'User', width: 260, from: 'medium', cell: (entry) => <Actor entry={entry} /> },
  { label: 'IP address', width: 150, from: 'large', cell: ({ address }) => address !== null && <code>{address}</code> },
  timeColumn('Time', 'at', { width: 128 }),
];

export function ActivityPage() {
  return useIsAdministrator() ? <ActivityLog /> : <ForAdministrators />;
}

function ActivityLog() {
  const search = useSearch({ from: '/inside/activity' });
  const { cursor, ...filters } = search;
  const { onPage } = useListSearch(search, 'cursor');
  const query = useQuery(activityQuery({ limit: LIMIT, ...toActivityQuery(search) }));
  return (
    <Page
      title="Activity"
      description="Users’ actions in the dashboard, the operator’s commands, API requests that change webhook endpoints, and endpoints that the service disabled. The log can’t be changed."
    >
      <ActivityFilters search={search} />
      <TableList
        label="Activity"
        query={query}
        count={8}
        columns={COLUMNS}
        cursor={cursor}
        onPage={onPage}
        empty={Object.keys(filters).length > 0 ? <NothingFound /> : <NothingYet />}
        emptyPage="No matching activity in this part of the log. Older parts may have some."
      />
    </Page>
  );
}

function NothingYet() {
  return (
    <EmptyState icon={History} title="No activity yet">
      Sign-ins and changes to API keys, members, and listings appear here.
    </EmptyState>
  );
}

function NothingFound() {
  return (
    <EmptyState icon={SearchX} title="No matching activity" action={<TextLink to="/activity">Clear filters</TextLink>}>
      No entry in the log matches all filters.
    </EmptyState>
  );
}

function Action({ entry }: { entry: AuditEntry }) {
  const { actor, address, at } = entry;
  return (
    <>
      {describeAction(entry)} <Target entry={entry} />
      <Subline isNarrow>
        <bdi>{actor.name}</bdi>
        {address !== null && ` · ${address}`} · <Time at={at} />
      </Subline>
    </>
  );
}

/** The name of the affected object, as a link to its page. */
function Target({ entry: { action, target } }: { entry: AuditEntry }) {
  if (target === null) return null;
  const { type, id, name } = target;
  const page = action.endsWith('.deleted') ? undefined : PAGES[type]?.(id);
  const shown = <bdi>{name}</bdi>;
  if (page !== undefined) return <TextLink {...page}>{shown}</TextLink>;
  return (
    <Text component="span" size="sm" fw={500}>
      {shown}
    </Text>
  );
}

const PAGES: Partial<Record<string, (id: string) => LinkProps>> = {
  listing: (id) => ({ to: '/listings/$id', params: { id } }),
  feed: (name) => ({ to: '/feeds/$name', params: { name } }),
  webhook: (id) => ({ to: '/developers/webhooks/$id', params: { id } }),
  api_key: () => ({ to: '/settings/api' }),
};

function Actor({ entry: { actor } }: { entry: AuditEntry }) {
  return (
    <>
      <bdi>{actor.name}</bdi>
      {actor.email !== null && (
        <Subline>
          <bdi title={actor.email}>{actor.email}</bdi>
        </Subline>
      )}
    </>
  );
}
