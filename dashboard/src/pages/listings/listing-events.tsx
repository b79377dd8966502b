import { Anchor, Box, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { HistoryEntry, Listing } from '../../api/admin';
import { ApiError } from '../../api/client';
import { eventQuery } from '../../api/queries';
import { CopyBlock } from '../../parts/copy-button';
import { TextLink } from '../../parts/links';
import { LoadedCard } from '../../parts/loaded';
import { LoadingRows } from '../../parts/states';
import { Time } from '../../parts/time';
import { useIsAdministrator } from '../../shell/session';
import { useHistory } from './listing-history';

/**
 * Shows the listing's events. Each entry of the listing's history is an event, so the events are found
 * without reading all events of the account.
 */
export function ListingEvents({ listing: { id, version } }: { listing: Listing }) {
  const isAdministrator = useIsAdministrator();
  const query = useHistory(id, version);
  const curl = [
    `curl "${window.location.origin}/v1/events?listingId=${id}&wait=25"`,
    `-H "Authorization: Bearer API_KEY"`,
  ].join(' \\\n  ');
  return (
    <Stack gap="md">
      <LoadedCard query={query} count={4}>
        {(entries) => (
          <ol className="plain-list events">
            {entries.map((entry) => (
              <EventRow key={entry.sequence} entry={entry} />
            ))}
          </ol>
        )}
      </LoadedCard>
      {query.hasNextPage && (
        <Anchor component="button" size="sm" onClick={() => void query.fetchNextPage()}>
          Show earlier events
        </Anchor>
      )}
      {isAdministrator && (
        <TextLink to="/developers/requests" search={{ path: `/v1/listings/${id}` }}>
          API requests for this listing
        </TextLink>
      )}
      <div className="card form-section">
        <CopyBlock title="Follow these events" text={curl} label="Copy the curl command" />
      </div>
    </Stack>
  );
}

function EventRow({ entry: { sequence, type, at } }: { entry: HistoryEntry }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <UnstyledButton className="event" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={15} aria-hidden />
        <code>{type}</code>
        <Group gap={6} ml="auto" wrap="nowrap">
          <Text size="sm" c="dimmed" component="span">
            {sequence} · <Time at={at} />
          </Text>
        </Group>
      </UnstyledButton>
      {isOpen && <EventBody sequence={sequence} />}
    </li>
  );
}

function EventBody({ sequence }: { sequence: number }) {
  const { data, error } = useQuery(eventQuery(sequence));
  if (data === undefined && error === null) return <LoadingRows count={2} />;
  const event = data?.data[0];
  if (event === undefined) {
    const isGone = error === null || (error instanceof ApiError && error.status === 410);
    return (
      <Text size="sm" c="dimmed" px="md" pb="md">
        {isGone ? 'This event is no longer kept. Events are kept for 30 days.' : error.message}
      </Text>
    );
  }
  return (
    <Box px="md" pt={4} pb="md">
      <CopyBlock title="Event" text={JSON.stringify(event, undefined, 2)} label="Copy the event" />
    </Box>
  );
}
