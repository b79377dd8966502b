import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { listingsQuery, mapQuery } from '../../api/queries';
import type { Cluster, ListingMap } from '../../api/types';
import { describeError } from '../../lib/errors';
import { formatCompact, formatCount, formatPrice } from '../../lib/format';
import { LoadedCard } from '../../parts/loaded';
import type { Area, Mark } from '../../parts/map-canvas';
import { readMapTiles } from '../../parts/map-tiles';
import { type ListingSearch, toMapQuery } from './search';
import { Status } from './status';

const MapCanvas = lazy(() => import('../../parts/map-canvas'));

/** A square with more listings is enlarged instead of listed. */
const LISTED_MAX = 20;
/** In pixels: a listing in a bubble, and all of them. */
const LISTED_HEIGHT = 44;
const BUBBLE_HEIGHT_MAX = 240;
/** For the first view; a map of the world has few enough squares at this level. */
const WORLD_ZOOM = '4';

/** The listings of a search on a map, as clusters. The URL keeps the place. */
export function MapView({ search }: { search: ListingSearch }) {
  const [navigate, router] = [useNavigate(), useRouter()];
  const [area, setArea] = useState<Area>();
  const filters = toMapQuery(search);
  const all = useQuery({ ...mapQuery({ ...filters, zoom: WORLD_ZOOM }), enabled: !isPlace(search.area) });
  const place = isPlace(search.area) ? search.area : all.data && boxAround(all.data);
  const shown = useQuery({
    ...mapQuery({ ...filters, ...(area && { bbox: area.bbox, zoom: String(area.zoom) }) }),
    enabled: area !== undefined,
  });
  const map = shown.data;
  const marks = useMemo(() => (map?.data ?? []).map(toMark), [map]);
  const move = (next: Area) => {
    setArea(next);
    // The user may have left already, while the map still moved.
    if (router.latestLocation.pathname !== '/listings') return;
    const to = (latest: ListingSearch) => ({ ...latest, area: next.place });
    void navigate({ to: '/listings', search: to, replace: true, resetScroll: false });
  };
  const count = map?.data.reduce((sum, cluster) => sum + cluster.count, 0) ?? 0;

  return (
    <LoadedCard query={{ ...(place === undefined ? all : shown), data: place, isPlaceholderData: false }} count={12}>
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
                const cluster = map?.data[index];
                if (cluster === undefined) return undefined;
                if (cluster.count <= LISTED_MAX || canvas.getZoom() === canvas.getMaxZoom())
                  return bubbleOf(filters, cluster, map?.side ?? 0);
                canvas.setView([cluster.latitude, cluster.longitude], canvas.getZoom() + 2);
                // The pressed mark disappears.
                canvas.getContainer().focus({ preventScroll: true });
                return undefined;
              }}
            />
          </Suspense>
          <Text size="sm" c="dimmed" px="md" py="sm" role="status">
            {map === undefined ? 'Loading…' : `${formatCount(count, 'listing')} in this area.`} Listings without
            coordinates are not shown.{readMapTiles() === undefined && ' This service has no images for maps.'}
          </Text>
        </>
      )}
    </LoadedCard>
  );
}

function toMark({ count, latitude, longitude }: Cluster): Mark {
  return { latitude, longitude, name: formatCount(count, 'listing'), text: count === 1 ? '' : formatCompact(count) };
}

/** `west,south,east,north` of a cluster's square. */
function squareOf({ latitude, longitude }: Cluster, side: number): string {
  const [west, south] = [startOf(longitude, -180, side), startOf(latitude, -90, side)];
  return [west, south, Math.min(180, west + side), Math.min(90, south + side)].join();
}

function startOf(degrees: number, first: number, side: number): number {
  return first + Math.floor((degrees - first) / side) * side;
}

function isPlace(area: string | undefined): area is string {
  return area?.split(',').filter((part) => part.trim() !== '' && Number.isFinite(Number(part))).length === 3;
}

/** A box with all matches, or the world. */
function boxAround({ data, side }: ListingMap): string {
  if (data.length === 0) return '20,0,2';
  const [south, north] = rangeOf(data.map(({ latitude }) => latitude));
  const [west, east] = rangeOf(data.map(({ longitude }) => longitude));
  // The listings of a square are around their mean.
  return [west - side / 4, south - side / 4, east + side / 4, north + side / 4].join();
}

function rangeOf(values: number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

function bubbleOf(filters: ListingSearch, cluster: Cluster, side: number) {
  return {
    content: <SquareListings filters={filters} cluster={cluster} side={side} />,
    height: Math.min(BUBBLE_HEIGHT_MAX, cluster.count * LISTED_HEIGHT),
  };
}

interface SquareListingsProps {
  filters: ListingSearch;
  cluster: Cluster;
  side: number;
}

/** The first listings of a square. */
function SquareListings({ filters, cluster, side }: SquareListingsProps) {
  const { count } = cluster;
  const query = { ...filters, bbox: squareOf(cluster, side), limit: String(LISTED_MAX) };
  const { data, error } = useQuery(listingsQuery(query));
  if (error !== null) return <Text size="sm">{describeError(error)}</Text>;
  if (data === undefined) return <Skeleton height={40} />;
  return (
    <Stack gap="xs" className="map-listings">
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
