import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Radio, SearchX } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/client';
import { feedsQuery } from '../../api/queries';
import { formatNumber } from '../../lib/format';
import { useListSearch } from '../../lib/search';
import { countColumn, timeColumn } from '../../parts/columns';
import { CopyBlock } from '../../parts/copy-button';
import { type Column, Subline } from '../../parts/data-table';
import { SelectFilter, TextFilter } from '../../parts/filters';
import { TextLink } from '../../parts/links';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { TableList } from '../../parts/table-list';
import { Time } from '../../parts/time';
import { EVENT_TYPES } from './event-types';
import type { EventSearch } from './search';
import { type EventRow, useEvents } from './use-events';

const COLUMNS: Column<EventRow>[] = [
  countColumn('Sequence', 'sequence', { from: 'small' }),
  timeColumn('Time', 'createdAt'),
  { label: 'Type', width: 150, from: 'medium', cell: ({ type }) => <code>{type}</code> },
  { label: 'Listing', cell: (event) => <ListingCell event={event} /> },
  { label: 'Changed', width: 190, from: 'large', cell: (event) => <Changed event={event} /> },
  { label: 'Feed', width: 120, from: 'wide', cell: (event) => 'listing' in event && event.listing.feed },
];

export function EventsPage() {
  const search = useSearch({ from: '/inside/developers/events' });
  const { at, ...filters } = search;
  const query = useEvents(search);
  const { onPage } = useListSearch(search, 'at');
  const [shown, setShown] = useState<EventRow>();
  const isGone = query.error instanceof ApiError && query.error.code === 'events_expired';
  return (
    <Page title="Events" description="Changes to listings, newest first. They are kept for 30 days.">
      <Filters search={search} />
      {isGone ? (
        <div className="card">
          <EmptyState icon={SearchX} title="These events aren’t available" action={<ShowNewest />}>
            Events are removed after 30 days.
          </EmptyState>
        </div>
      ) : (
        <TableList
          label="Events"
          query={query}
          count={8}
          columns={COLUMNS}
          actionsWidth={80}
          actions={(event) => (
            <Button size="compact-sm" onClick={() => setShown(event)}>
              JSON<span className="visually-hidden"> of event {event.sequence}</span>
            </Button>
          )}
          empty={
            <EmptyState icon={Radio} title={Object.keys(filters).length > 0 ? 'No matching events' : 'No events yet'}>
              Each time a listing is created, changed, or deleted, an event appears here.
            </EmptyState>
          }
          emptyPage={`No matching events after event ${formatNumber(Number(query.data?.nextCursor))}. Older ones may match.`}
          cursor={at}
          onPage={onPage}
        />
      )}
      <Modal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={shown && `Event ${formatNumber(shown.sequence)}`}
        size={680}
        withCloseButton
      >
        {shown && <CopyBlock title={shown.type} text={toJson(shown)} label="Copy the event" />}
      </Modal>
    </Page>
  );
}

function Filters({ search }: { search: EventSearch }) {
  const feeds = useQuery(feedsQuery);
  const { bind } = useListSearch(search, 'at');
  const names = Object.fromEntries((feeds.data?.data ?? []).map(({ name }) => [name, name]));
  return (
    <div className="filters">
      <SelectFilter label="Type" choices={{ '': 'All', ...EVENT_TYPES }} {...bind('type')} />
      <SelectFilter label="Feed" choices={{ '': 'All', ...names }} {...bind('feed')} />
      <TextFilter label="Listing ID" placeholder="lst_…" {...bind('listingId')} />
    </div>
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
        <Link className="row-link" to="/listings/$id" params={{ id: listingId }}>
          <bdi>{event.listing.address}</bdi>
        </Link>
      ) : (
        <bdi>{event.externalId ?? listingId}</bdi>
      )}
      <Subline isNarrow>
        {EVENT_TYPES[type]} · <Time at={createdAt} />
      </Subline>
    </>
  );
}

function Changed({ event }: { event: EventRow }) {
  const names = 'changed' in event ? event.changed.join(', ') : '';
  return <span title={names}>{names}</span>;
}

function ShowNewest() {
  return <TextLink to="/developers/events">Show the newest events</TextLink>;
}
