import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { HistoryEntry, Listing } from '../../api/admin';
import { historyQuery } from '../../api/queries';
import { LoadedCard } from '../../parts/loaded';
import { Time } from '../../parts/time';
import { formatField, labelOf } from './form-fields';
import { PriceChart } from './price-chart';

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
        <bdi style={{ fontWeight: 700 }}>{nameOf(actor)}</bdi> {VERBS[type]}
        <Text component="span" size="sm" c="dimmed">
          {' · '}
          <Time at={at} /> · version {version}
        </Text>
      </Text>
      <Stack gap={2} mt={2} component="ul" className="plain-list">
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

/**
 * Loads the listing's history, newest first. The query key contains the version, so the history is loaded
 * again after each change.
 */
export function useHistory(id: string, version: number) {
  const query = useInfiniteQuery(historyQuery(id, version));
  const { error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const data: HistoryEntry[] | undefined = query.data?.pages.flatMap((page) => page.data);
  return { data, error, refetch, isPlaceholderData: false, hasNextPage, isFetchingNextPage, fetchNextPage };
}
