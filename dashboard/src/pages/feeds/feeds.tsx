import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, Rss } from 'lucide-react';
import { feedsQuery } from '../../api/queries';
import type { Feed } from '../../api/types';
import { formatCount, formatNumber } from '../../lib/format';
import { LoadedCard } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { type Column, Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { FeedState, nextExpected } from './feed-state';

const REFETCH_MS = 5_000;

const COLUMNS: Column<Feed & { id: string }>[] = [
  { label: 'Feed', className: 'wide', cell: (feed) => <Name feed={feed} /> },
  { label: 'Listings', className: 'number from-medium', cell: ({ listings }) => formatNumber(listings) },
  {
    label: 'Last run',
    className: 'nowrap from-medium',
    cell: ({ lastRun }) => (lastRun === null ? 'Never' : <Time at={lastRun.startedAt} />),
  },
  { label: 'Next expected', className: 'nowrap from-medium', cell: (feed) => <NextRun feed={feed} /> },
  { label: 'State', className: 'nowrap', cell: (feed) => <FeedState feed={feed} /> },
];

export function FeedsPage() {
  const query = useQuery({ ...feedsQuery, refetchInterval: REFETCH_MS });
  return (
    <Page
      title="Feeds"
      description="A feed is a source whose whole file becomes the truth: its listings are what the last file says."
      actions={
        <Button leftSection={<Plus size={16} />} renderRoot={(props) => <Link to="/feeds/new" {...props} />}>
          New feed
        </Button>
      }
    >
      <LoadedCard query={query} count={3}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={Rss} title="No feeds yet">
              Create a feed here, or send its first file with <code>PUT /v1/feeds/NAME</code>.
            </EmptyState>
          ) : (
            <Table label="Feeds" columns={COLUMNS} rows={data.map((feed) => ({ ...feed, id: feed.name }))} />
          )
        }
      </LoadedCard>
    </Page>
  );
}

function Name({ feed: { name, listings, lastRun } }: { feed: Feed }) {
  return (
    <>
      <Link className="quiet-link" to="/feeds/$name" params={{ name }}>
        {name}
      </Link>
      <Text size="xs" c="dimmed" className="until-medium" component="div">
        {formatCount(listings, 'listing')}
        {lastRun !== null && (
          <>
            {' · last run '}
            <Time at={lastRun.startedAt} />
          </>
        )}
      </Text>
    </>
  );
}

function NextRun({ feed }: { feed: Feed }) {
  const next = nextExpected(feed);
  return next === null ? '–' : <Time at={next} />;
}
