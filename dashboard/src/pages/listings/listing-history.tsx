import { Button, Group, Stack, Text } from '@mantine/core';
import type { HistoryEntry, Listing } from '../../api/types';
import { LoadedCard } from '../../parts/loaded';
import { Time } from '../../parts/time';
import { formatField, labelOf } from './format-field';
import { PriceChart } from './price-chart';
import { useHistory } from './use-history';

export function ListingHistory({ listing }: { listing: Listing }) {
  const query = useHistory(listing.id, listing.version);
  return (
    <LoadedCard query={query} count={4}>
      {(entries) => (
        <>
          <PriceChart listing={listing} entries={entries} isComplete={!query.hasNextPage} />
          <ol className="timeline">
            {entries.map((entry) => (
              <Entry key={entry.sequence} entry={entry} listing={listing} />
            ))}
          </ol>
          {query.hasNextPage && (
            <Group justify="center" pb="md">
              <Button size="xs" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                Show earlier changes
              </Button>
            </Group>
          )}
        </>
      )}
    </LoadedCard>
  );
}

const VERBS: Record<HistoryEntry['type'], string> = {
  'listing.created': 'created the listing',
  'listing.updated': 'changed the listing',
  'listing.deleted': 'deleted the listing',
};

function Entry({ entry: { type, actor, at, version, changes }, listing }: { entry: HistoryEntry; listing: Listing }) {
  return (
    <li>
      <Text size="sm">
        <b>
          <bdi>{nameOf(actor)}</bdi>
        </b>{' '}
        {VERBS[type]}
        <Text component="span" size="sm" c="dimmed">
          {' · '}
          <Time at={at} /> · version {version}
        </Text>
      </Text>
      <Stack gap={2} mt={2} component="ul" className="changed">
        {Object.entries(changes).map(([field, change]) => (
          <Text key={field} size="sm" component="li">
            {labelOf(field)}{' '}
            {'changed' in change ? (
              'changed'
            ) : (
              <>
                <bdi className="from">{formatField(field, change.from, listing)}</bdi>
                <span aria-hidden> → </span>
                <span className="visually-hidden"> is now </span>
                <bdi>{formatField(field, change.to, listing)}</bdi>
              </>
            )}
          </Text>
        ))}
      </Stack>
    </li>
  );
}

function nameOf(actor: HistoryEntry['actor']): string {
  switch (actor.type) {
    case 'feed':
      return `The feed ${actor.name}`;
    case 'key':
      return `API key ${actor.name}`;
    case 'operator':
      return 'The operator';
    case 'unknown':
      return 'An earlier release';
    default:
      return actor.name;
  }
}
