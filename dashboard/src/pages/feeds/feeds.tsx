import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, Rss } from 'lucide-react';
import type { Feed } from '../../api/admin';
import { feedsQuery } from '../../api/queries';
import { formatCount } from '../../lib/format';
import { countColumn } from '../../parts/columns';
import { type Column, Subline } from '../../parts/data-table';
import { ButtonLink } from '../../parts/links';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { TableList } from '../../parts/table-list';
import { Time } from '../../parts/time';
import { FeedState, nextExpected } from './feed-state';

const REFETCH_MS = 5_000;

const COLUMNS: Column<Feed & { id: string }>[] = [
  { label: 'Feed', sortBy: 'name', cell: (feed) => <Name feed={feed} /> },
  countColumn('Listings', 'listings'),
  {
    label: 'Last run',
    width: 140,
    from: 'medium',
    cell: ({ lastRun }) => (lastRun === null ? 'Never' : <Time at={lastRun.startedAt} />),
  },
  { label: 'Next expected', width: 140, from: 'large', cell: (feed) => <NextRun feed={feed} /> },
  { label: 'State', width: 160, cell: (feed) => <FeedState feed={feed} /> },
];

export function FeedsPage() {
  const query = useQuery({
    ...feedsQuery,
    refetchInterval: REFETCH_MS,
    select: ({ data }) => ({ data: data.map((feed) => ({ ...feed, id: feed.name })) }),
  });
  return (
    <Page
      title="Feeds"
      description="Each file replaces the previous one. A feed’s settings determine what happens to listings that are missing from the file."
      actions={
        <ButtonLink variant="filled" leftSection={<Plus size={16} />} to="/feeds/new">
          New feed
        </ButtonLink>
      }
    >
      <TableList
        label="Feeds"
        query={query}
        count={3}
        columns={COLUMNS}
        empty={
          <EmptyState icon={Rss} title="No feeds yet">
            Create a feed here, or send its first file with <code>PUT /v1/feeds/NAME</code>.
          </EmptyState>
        }
      />
    </Page>
  );
}

function Name({ feed: { name, listings, lastRun } }: { feed: Feed }) {
  const started = lastRun && <Time at={lastRun.startedAt} />;
  return (
    <>
      <Link className="row-link" to="/feeds/$name" params={{ name }}>
        {name}
      </Link>
      <Subline isNarrow>
        {formatCount(listings, 'listing')}
        {started && <> · last run {started}</>}
      </Subline>
    </>
  );
}

function NextRun({ feed }: { feed: Feed }) {
  const next = nextExpected(feed);
  return next === null ? '–' : <Time at={next} />;
}
