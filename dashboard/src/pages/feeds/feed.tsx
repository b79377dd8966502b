import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { History, Upload } from 'lucide-react';
import { useState } from 'react';
import type { Feed, FeedRun } from '../../api/admin';
import { request } from '../../api/client';
import { feedPath, feedQuery, feedsQuery, refresh, runsQuery } from '../../api/queries';
import { formatCount, formatNumber } from '../../lib/format';
import { notify } from '../../lib/notify';
import { useListSearch } from '../../lib/search';
import { countColumn } from '../../parts/columns';
import { type Column, Subline } from '../../parts/data-table';
import { ConfirmDialog } from '../../parts/dialogs';
import { Facts } from '../../parts/facts';
import { BackTo, ButtonLink } from '../../parts/links';
import { NotLoadedPage } from '../../parts/loaded';
import { Page, Section } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { TableList } from '../../parts/table-list';
import { Time } from '../../parts/time';
import { FeedSettings, MISSING } from './feed-settings';
import { FeedState, nextExpected, Outcome } from './feed-state';

const REFETCH_MS = 3_000;
const LIMIT = '20';

export function FeedPage() {
  const { name } = useParams({ from: '/inside/feeds/$name' });
  const query = useQuery({ ...feedQuery(name), refetchInterval: REFETCH_MS });
  const { data } = query;
  if (data !== undefined) return <ShownFeed feed={data} />;
  return <NotLoadedPage title="Feed" above={<BackTo to="/feeds">Feeds</BackTo>} query={query} />;
}

function ShownFeed({ feed }: { feed: Feed }) {
  const { name, listings } = feed;
  const [dialog, setDialog] = useState<'settings' | 'delete'>();
  const close = () => setDialog(undefined);
  return (
    <Page
      title={name}
      description={formatCount(listings, 'listing')}
      above={<BackTo to="/feeds">Feeds</BackTo>}
      actions={
        <>
          <Button onClick={() => setDialog('delete')}>Delete</Button>
          <Button onClick={() => setDialog('settings')}>Settings</Button>
          <ButtonLink variant="filled" leftSection={<Upload size={16} />} to="/feeds/$name/send" params={{ name }}>
            Send a file
          </ButtonLink>
        </>
      }
    >
      <Stack gap="xl">
        <Facts facts={factsOf(feed)} />
        <Section title="Runs" description="From the last 90 days.">
          <Runs name={name} />
        </Section>
      </Stack>
      {dialog === 'settings' && <FeedSettings feed={feed} onClose={close} />}
      <DeleteFeed feed={dialog === 'delete' ? feed : undefined} onClose={close} />
    </Page>
  );
}

function factsOf(feed: Feed) {
  const { missing, missingMax, failedMax, clean, map, ignoreUnknown, expectedEveryHours, lastSuccessAt } = feed;
  const next = nextExpected(feed);
  const columns = Object.entries(map).map(([column, field]) => `${column} → ${field || 'skipped'}`);
  return {
    State: <FeedState feed={feed} />,
    'Last success': lastSuccessAt === null ? 'Never' : <Time at={lastSuccessAt} />,
    Expected: expectedEveryHours !== null && next !== null && (
      <>
        Every {formatCount(expectedEveryHours, 'hour')}, next <Time at={next} />
      </>
    ),
    'If a listing is missing': MISSING[missing],
    Limits: `The run stops if more than ${missingMax} of the listings are missing, or more than ${failedMax} of the rows fail`,
    'Clean values': clean ? ['Yes', ...styleOf(feed)].join(', ') : 'No',
    'Unknown columns': ignoreUnknown ? 'Skipped' : 'Stop the run',
    Columns: columns.join(', ') || undefined,
    Words: listOf(feed.values) || undefined,
    'Default values': listOf(feed.defaults) || undefined,
  };
}

function styleOf({ dates, decimal }: Feed): string[] {
  return [...(dates === null ? [] : [`dates as ${dates}`]), ...(decimal === null ? [] : [`decimal ${decimal}`])];
}

function listOf(texts: Record<string, string>): string {
  return Object.entries(texts)
    .map(([key, text]) => `${key} → ${text || 'no value'}`)
    .join(', ');
}

const COLUMNS: Column<FeedRun>[] = [
  { label: 'Started', cell: (run) => <RunLink run={run} /> },
  countColumn('Rows', 'rows'),
  countColumn('Created', 'created', { from: 'large' }),
  countColumn('Updated', 'updated', { from: 'large' }),
  countColumn('Missing', 'missing', { from: 'large' }),
  countColumn('Failed', 'failed'),
  { label: 'Outcome', width: 160, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
];

function Runs({ name }: { name: string }) {
  const search = useSearch({ from: '/inside/feeds/$name' });
  const { cursor } = search;
  const { onPage } = useListSearch(search, 'cursor');
  const query = useQuery({
    ...runsQuery(name, { limit: LIMIT, cursor }),
    refetchInterval: cursor === undefined && REFETCH_MS,
  });
  return (
    <TableList
      label="Runs"
      query={query}
      count={4}
      columns={COLUMNS}
      cursor={cursor}
      onPage={onPage}
      empty={
        <EmptyState icon={History} title="No runs">
          Send a file to start one.
        </EmptyState>
      }
    />
  );
}

function RunLink({ run: { id, feed, startedAt, rows, failed } }: { run: FeedRun }) {
  return (
    <>
      <Link className="row-link" to="/feeds/$name/runs/$runId" params={{ name: feed, runId: id }}>
        <Time at={startedAt} />
      </Link>
      <Subline isNarrow>
        {formatCount(rows, 'row')}, {formatNumber(failed)} failed
      </Subline>
    </>
  );
}

function DeleteFeed({ feed, onClose }: { feed: Feed | undefined; onClose: () => void }) {
  const navigate = useNavigate();
  const [listings, setListings] = useState('keep');
  const remove = async ({ name }: Feed) => {
    await request('DELETE', feedPath(name), { query: { listings } });
    notify(`Feed ${name} deleted.`);
    await navigate({ to: '/feeds' });
    void refresh(feedsQuery, { queryKey: ['listings'] });
  };
  return (
    <ConfirmDialog title="Delete this feed?" action="Delete" subject={feed} onClose={onClose} onConfirm={remove}>
      {(shown) => (
        <Stack>
          <Text size="sm">The feed’s settings and runs are deleted. This can’t be undone.</Text>
          <Radio.Group label="Its listings" value={listings} onChange={setListings}>
            <Group gap="md" mt={6}>
              <Radio value="keep" label="Keep" />
              <Radio value="delete" label={`Delete ${formatCount(shown.listings, 'listing')}`} />
            </Group>
          </Radio.Group>
        </Stack>
      )}
    </ConfirmDialog>
  );
}
