import { Anchor, Button, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Radio, SearchX } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/client';
import { feedsQuery } from '../../api/queries';
import type { ListingEvent } from '../../api/types';
import { formatNumber } from '../../lib/format';
import { compactSearch } from '../../lib/search';
import { CopyBlock } from '../../parts/copy-button';
import { SelectFilter, TextFilter } from '../../parts/filters';
import { LoadedCard } from '../../parts/loaded';
import { NewestOlder } from '../../parts/newest-older';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { actions, type Column, Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { EVENT_TYPES } from './event-types';
import type { EventSearch } from './search';
import { type EventPage, useEvents } from './use-events';

type EventRow = ListingEvent & { id: string };

const COLUMNS: Column<EventRow>[] = [
  { label: 'Sequence', className: 'number', cell: ({ sequence }) => formatNumber(sequence) },
  { label: 'Time', className: 'nowrap from-medium', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { label: 'Type', className: 'nowrap from-medium', cell: ({ type }) => <code>{type}</code> },
  { label: 'Listing', className: 'wide', cell: (event) => <ListingCell event={event} /> },
  { label: 'Changed', className: 'from-large', cell: (event) => changedOf(event) },
  { label: 'Feed', className: 'from-large name', cell: (event) => 'listing' in event && event.listing.feed },
];

export function EventsPage() {
  const search = useSearch({ from: '/inside/developers/events' });
  const query = useEvents(search);
  const isGone = query.error instanceof ApiError && query.error.code === 'events_expired';
  return (
    <Page title="Events" description="Changes to listings, in order. They are kept for 30 days.">
      <Filters search={search} />
      {isGone ? (
        <div className="card">
          <EmptyState icon={SearchX} title="These events aren’t available" action={<ShowNewest />}>
            Events are removed after 30 days.
          </EmptyState>
        </div>
      ) : (
        <LoadedCard query={query} count={8}>
          {(page) => <Results page={page} search={search} />}
        </LoadedCard>
      )}
    </Page>
  );
}

function Filters({ search }: { search: EventSearch }) {
  const navigate = useNavigate();
  const feeds = useQuery(feedsQuery);
  const bind = (name: keyof EventSearch) => ({
    value: search[name],
    onChange: (value: string | undefined) =>
      void navigate({
        to: '/developers/events',
        search: compactSearch({ ...search, at: undefined, [name]: value }),
        replace: true,
      }),
  });
  const names = Object.fromEntries((feeds.data?.data ?? []).map(({ name }) => [name, name]));
  return (
    <div className="filters">
      <SelectFilter label="Type" choices={{ '': 'All', ...EVENT_TYPES }} {...bind('type')} />
      <SelectFilter label="Feed" choices={{ '': 'All', ...names }} {...bind('feed')} />
      <TextFilter label="Listing ID" placeholder="lst_…" {...bind('listingId')} />
    </div>
  );
}

function Results({ page: { data, after }, search }: { page: EventPage; search: EventSearch }) {
  const navigate = useNavigate();
  const [shown, setShown] = useState<EventRow>();
  const { at, ...filters } = search;
  if (data.length === 0 && after === 0 && at === undefined) {
    return (
      <EmptyState icon={Radio} title={Object.keys(filters).length > 0 ? 'No matching events' : 'No events yet'}>
        Each listing that is created, changed, or deleted appears here.
      </EmptyState>
    );
  }
  const show = actions<EventRow>((event) => (
    <Button size="compact-sm" variant="default" onClick={() => setShown(event)}>
      JSON<span className="visually-hidden"> of event {event.sequence}</span>
    </Button>
  ));
  const rows = data.map((event) => ({ ...event, id: String(event.sequence) }));
  return (
    <>
      {rows.length > 0 ? (
        <Table label="Events" columns={[...COLUMNS, show]} rows={rows} />
      ) : (
        <Text size="sm" p="md">
          No matching events after event {formatNumber(after)}. Older ones may match.
        </Text>
      )}
      <NewestOlder
        cursor={at}
        next={after === 0 ? null : String(after)}
        onOpen={(next) => navigate({ to: '/developers/events', search: { ...filters, ...(next && { at: next }) } })}
      />
      <Modal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={shown && `Event ${formatNumber(shown.sequence)}`}
        size={680}
        withCloseButton
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown && <CopyBlock title={shown.type} text={toJson(shown)} label="Copy the event" />}
      </Modal>
    </>
  );
}

function toJson({ id: _, ...event }: EventRow): string {
  return JSON.stringify(event, null, 2);
}

function ListingCell({ event }: { event: EventRow }) {
  const { type, listingId, createdAt } = event;
  return (
    <>
      {'listing' in event ? (
        <Link className="quiet-link" to="/listings/$id" params={{ id: listingId }}>
          <bdi>{event.listing.address}</bdi>
        </Link>
      ) : (
        <bdi>{event.externalId ?? listingId}</bdi>
      )}
      <Text size="xs" c="dimmed" className="until-medium" component="div">
        {EVENT_TYPES[type]} · <Time at={createdAt} />
      </Text>
    </>
  );
}

function changedOf(event: EventRow): string {
  return 'changed' in event ? event.changed.join(', ') : '';
}

function ShowNewest() {
  return <Anchor renderRoot={(props) => <Link to="/developers/events" {...props} />}>Show the newest events</Anchor>;
}
