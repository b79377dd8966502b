import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Cluster, Map as ListingMap } from '../../api/admin';
import { listingsQuery, mapQuery } from '../../api/queries';
import { describeError } from '../../lib/errors';
import { formatCompact, formatCount, formatPrice } from '../../lib/format';
import { LoadedCard } from '../../parts/loaded';
import type { Area, Mark } from '../../parts/map-canvas';
import { readMapTiles } from '../../parts/map-tiles';
import { type Group, groupClusters } from './clusters';
import { type ListingSearch, toMapQuery } from './search';
import { Status } from './status';

const MapCanvas = lazy(() => import('../../parts/map-canvas'));

/** If a mark stands for more listings than this, pressing it zooms in, if possible, instead of listing them. */
const LISTED_MAX = 20;
/** The height of one listing in a bubble, and the maximum height of a bubble, in pixels. */
const LISTED_HEIGHT = 44;
const BUBBLE_HEIGHT_MAX = 240;
/** The zoom level for the first request, low enough that the service can return the squares of the whole world. */
const WORLD_ZOOM = '4';
/** If at most this many squares contain listings, the map requests smaller squares to show where the listings are. */
const NEAR_SQUARES_MAX = 4;
const NEAR_ZOOM = '12';

/** Shows the listings that a search finds as clusters on a map. The URL keeps the map's position. */
export function MapView({ search }: { search: ListingSearch }) {
  const [navigate, router] = [useNavigate(), useRouter()];
  const [area, setArea] = useState<Area>();
  const filters = toMapQuery(search);
  const all = useQuery({ ...mapQuery({ ...filters, zoom: WORLD_ZOOM }), enabled: !isPlace(search.area) });
  const squares = all.data?.data.length ?? 0;
  const isNear = !isPlace(search.area) && squares > 0 && squares <= NEAR_SQUARES_MAX;
  const near = useQuery({
    ...mapQuery({ ...filters, zoom: NEAR_ZOOM, bbox: all.data && boxAround(all.data) }),
    enabled: isNear,
  });
  const first = isNear ? near.data : all.data;
  const place = isPlace(search.area) ? search.area : first && boxAround(first);
  const shown = useQuery({
    ...mapQuery({ ...filters, ...(area && { bbox: area.bbox, zoom: String(area.zoom) }) }),
    enabled: area !== undefined,
  });
  const finding = isNear ? near : all;
  const querying = place === undefined ? finding : shown;
  const map = shown.data;
  const zoom = area?.zoom;
  const groups = useMemo(() => (map && zoom !== undefined ? groupClusters(map, zoom) : []), [map, zoom]);
  const marks = useMemo(() => groups.map(toMark), [groups]);
  const move = (next: Area) => {
    setArea(next);
    // The user may have left this page while the map was still moving.
    if (router.latestLocation.pathname !== '/listings') return;
    const to = (latest: ListingSearch) => ({ ...latest, area: next.place });
    void navigate({ to: '/listings', search: to, replace: true, resetScroll: false });
  };
  const count = map?.data.reduce((sum, cluster) => sum + cluster.count, 0) ?? 0;

  return (
    <LoadedCard query={{ ...querying, data: place, isPlaceholderData: false }} count={12}>
      {(start) => (
        <>
          <Suspense fallback={<Skeleton className="map" />}>
            <MapCanvas
              label="Map of the listings"
              marks={marks}
              place={start}
              scope={JSON.stringify([filters, area?.zoom])}
              onMove={move}
              onOpen={(index, canvas) => {
                const group = groups[index];
                if (group === undefined) return undefined;
                if (group.count <= LISTED_MAX || canvas.getZoom() === canvas.getMaxZoom())
                  return bubbleOf(filters, group);
                canvas.setView([group.latitude, group.longitude], canvas.getZoom() + 2);
                // Move the focus to the map, because the mark that was pressed disappears.
                canvas.getContainer().focus({ preventScroll: true });
                return undefined;
              }}
            />
          </Suspense>
          <Text size="sm" c="dimmed" px="md" py="sm" role="status">
            {map === undefined ? 'Loading…' : `${formatCount(count, 'listing')} in this area.`} Listings without
            coordinates are not shown.{readMapTiles() === undefined && ' No background map is set up.'}
          </Text>
        </>
      )}
    </LoadedCard>
  );
}

function toMark({ count, latitude, longitude }: Cluster): Mark {
  return { latitude, longitude, name: formatCount(count, 'listing'), text: count === 1 ? '' : formatCompact(count) };
}

function isPlace(area: string | undefined): area is string {
  return area?.split(',').filter((part) => part.trim() !== '' && Number.isFinite(Number(part))).length === 3;
}

/** A box around all clusters, or a view of the world if there are none. */
function boxAround({ data, side }: ListingMap): string {
  if (data.length === 0) return '20,0,2';
  const [south, north] = rangeOf(data.map(({ latitude }) => latitude));
  const [west, east] = rangeOf(data.map(({ longitude }) => longitude));
  // A cluster is drawn at the mean position of its listings, so add a margin for the listings around it.
  const margin = side / 4;
  return [
    Math.max(-180, west - margin),
    Math.max(-90, south - margin),
    Math.min(180, east + margin),
    Math.min(90, north + margin),
  ].join();
}

function rangeOf(values: number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

function bubbleOf(filters: ListingSearch, group: Group) {
  return {
    content: <GroupListings filters={filters} group={group} />,
    height: Math.min(BUBBLE_HEIGHT_MAX, group.count * LISTED_HEIGHT),
  };
}

/** Lists the first listings that a mark stands for. */
function GroupListings({ filters, group: { count, box } }: { filters: ListingSearch; group: Group }) {
  const query = { ...filters, bbox: box.join(), limit: String(LISTED_MAX) };
  const { data, error } = useQuery(listingsQuery(query));
  if (error !== null) return <Text size="sm">{describeError(error)}</Text>;
  if (data === undefined) return <Skeleton height={40} />;
  return (
    <Stack gap="xs" fz={14} mah={BUBBLE_HEIGHT_MAX} style={{ overflowY: 'auto' }}>
      {data.data.map(({ id, address, status, listPrice, currency, beds, baths }) => (
        <div key={id}>
          <Link to="/listings/$id" params={{ id }}>
            <bdi>{address}</bdi>
          </Link>
          <Text size="xs" component="div">
            {listPrice !== undefined && `${formatPrice(listPrice, currency)} · `}
            {beds} bd · {baths} ba · <Status status={status} />
          </Text>
        </div>
      ))}
      {count > LISTED_MAX && <Text size="xs">{`The newest ${LISTED_MAX} of ${formatCount(count, 'listing')}.`}</Text>}
    </Stack>
  );
}
