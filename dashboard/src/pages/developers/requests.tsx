import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { ScrollText, SearchX } from 'lucide-react';
import type { LoggedRequest, LoggedRequestList } from '../../api/admin';
import { apiKeysQuery, requestsQuery } from '../../api/queries';
import { formatBytes, formatCount, formatDuration, formatExact, formatNumber } from '../../lib/format';
import { useListSearch } from '../../lib/search';
import { timeColumn } from '../../parts/columns';
import { type Column, Subline } from '../../parts/data-table';
import { SelectFilter, TextFilter } from '../../parts/filters';
import { TextLink } from '../../parts/links';
import { Page } from '../../parts/page';
import { StatusCode } from '../../parts/state-badge';
import { EmptyState } from '../../parts/states';
import { TableList } from '../../parts/table-list';
import { Time } from '../../parts/time';
import type { RequestSearch } from './search';

const LIMIT = '50';
const REFETCH_MS = 3_000;

const METHODS = Object.fromEntries(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map((name) => [name, name]));
const STATUSES = {
  '': 'All',
  '4xx,5xx': 'Errors',
  '2xx': '2xx successful',
  '3xx': '3xx not modified',
  '4xx': '4xx client errors',
  '5xx': '5xx server errors',
};

const COLUMNS: Column<LoggedRequest>[] = [
  timeColumn('Time', 'at'),
  { label: 'Key', width: 160, from: 'large', cell: ({ key }) => <KeyName of={key} /> },
  { label: 'Method', width: 90, from: 'medium', cell: ({ method }) => <code>{method}</code> },
  { label: 'Path', cell: (request) => <Path request={request} /> },
  { label: 'Status', width: 84, cell: ({ status }) => <StatusCode status={status} /> },
  { label: 'Code', width: 170, from: 'large', cell: ({ code }) => code !== null && <code>{code}</code> },
  {
    label: 'Duration',
    width: 100,
    from: 'medium',
    isNumber: true,
    cell: ({ durationMs }) => formatDuration(durationMs),
  },
];

export function RequestsPage() {
  const search = useSearch({ from: '/inside/developers/requests' });
  const { cursor, ...filters } = search;
  const query = useQuery({
    ...requestsQuery({ limit: LIMIT, ...search }),
    refetchInterval: cursor === undefined && REFETCH_MS,
  });
  const { onPage } = useListSearch(search, 'cursor');
  const retention = query.data?.retention ?? null;
  return (
    <Page title="Requests" description="What your apps sent to the API. New requests appear here within seconds.">
      <Filters search={search} />
      <TableList
        label="Requests"
        query={query}
        count={8}
        columns={COLUMNS}
        empty={Object.keys(filters).length > 0 ? <NothingFound /> : <NothingYet retention={retention} />}
        emptyPage="No matching requests in this part of the log. Older parts may have some."
        cursor={cursor}
        onPage={onPage}
        footer={
          retention &&
          `Kept for ${formatCount(retention.days, 'day')}, up to ${formatBytes(retention.bytes)} for all accounts. ` +
            'Of many similar requests in a short time, most are counted but not logged.'
        }
      />
    </Page>
  );
}

function Filters({ search }: { search: RequestSearch }) {
  const keys = useQuery(apiKeysQuery);
  const { bind } = useListSearch(search, 'cursor');
  const names = Object.fromEntries((keys.data?.data ?? []).map(({ id, name }) => [id, name]));
  return (
    <div className="filters">
      <SelectFilter label="Key" choices={{ '': 'All', ...names }} {...bind('keyId')} />
      <SelectFilter label="Method" choices={{ '': 'All', ...METHODS }} {...bind('method')} />
      <SelectFilter label="Status" choices={STATUSES} {...bind('status')} />
      <TextFilter label="Code" placeholder="validation_failed" {...bind('code')} />
      <TextFilter label="Path begins with" placeholder="/v1/listings" {...bind('path')} />
    </div>
  );
}

function NothingYet({ retention }: Pick<LoggedRequestList, 'retention'>) {
  if (retention === null) {
    return (
      <EmptyState icon={ScrollText} title="The request log is off">
        The operator can turn it on with the setting <code>REQUEST_LOG</code>, for example <code>7d,1GB</code>.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={ScrollText} title="No requests yet">
      Requests made with this account’s API keys appear here, along with any errors they returned.
    </EmptyState>
  );
}

function NothingFound() {
  return (
    <EmptyState
      icon={SearchX}
      title="No matching requests"
      action={<TextLink to="/developers/requests">Clear filters</TextLink>}
    >
      No request in the log matches all filters.
    </EmptyState>
  );
}

function KeyName({ of: { name, isDeleted } }: { of: LoggedRequest['key'] }) {
  return (
    <>
      <bdi>{name}</bdi>
      {isDeleted && ' (deleted)'}
    </>
  );
}

function Path({ request: { id, at, key, method, path, code, durationMs, omitted } }: { request: LoggedRequest }) {
  return (
    <>
      <Link className="row-link" to="/developers/requests/$id" params={{ id }} title={formatExact(at)}>
        <code>{path}</code>
      </Link>
      <Subline isNarrow>
        {method} · <KeyName of={key} /> · {formatDuration(durationMs)}
        {code !== null && ` · ${code}`} · <Time at={at} />
      </Subline>
      {omitted > 0 && <Subline>+ {formatNumber(omitted)} more, counted but not logged</Subline>}
    </>
  );
}
