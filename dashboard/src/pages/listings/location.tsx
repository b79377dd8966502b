import { Anchor, Text } from '@mantine/core';
import { ExternalLink, MapPin } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import type { Listing } from '../../api/admin';
import { readMapTiles } from '../../parts/map-tiles';
import { CardSection } from '../../parts/page';

const MapCanvas = lazy(() => import('../../parts/map-canvas'));
/** The zoom level that shows a neighborhood. */
const ZOOM = 15;

/** Shows the coordinates, and a map if the operator has configured map images. */
export function Location({ listing }: { listing: Listing }) {
  const { address, city, stateOrProvince, postalCode, country, latitude, longitude } = listing;
  const hasPlace = latitude !== undefined && longitude !== undefined;
  const marks = useMemo(
    () => [{ latitude: latitude ?? 0, longitude: longitude ?? 0, name: address, text: '' }],
    [latitude, longitude, address],
  );
  const region = [city, [stateOrProvince, postalCode].filter(Boolean).join(' '), country].filter(Boolean);
  return (
    <CardSection title="Location">
      {hasPlace && readMapTiles() !== undefined ? (
        <Suspense fallback={<div className="map is-small" />}>
          <MapCanvas
            key={`${latitude},${longitude}`}
            isSmall
            label="Map of the neighborhood"
            marks={marks}
            place={`${latitude},${longitude},${ZOOM}`}
          />
        </Suspense>
      ) : (
        <div className="no-map" aria-hidden>
          {hasPlace && <MapPin size={30} />}
        </div>
      )}
      <Text size="sm" mt="md">
        <bdi>{address}</bdi>
        {region.length > 0 && (
          <>
            <br />
            <bdi>{region.join(', ')}</bdi>
          </>
        )}
      </Text>
      {hasPlace ? (
        <Text size="sm" c="dimmed" mt={6}>
          {formatDegrees(latitude, 'N', 'S')}, {formatDegrees(longitude, 'E', 'W')}
          {' · '}
          <Anchor
            size="sm"
            target="_blank"
            rel="noreferrer"
            href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`}
          >
            OpenStreetMap <ExternalLink size={12} aria-hidden />
          </Anchor>
        </Text>
      ) : (
        <Text size="sm" c="dimmed" mt={6}>
          No coordinates yet. Edit the listing to add them.
        </Text>
      )}
    </CardSection>
  );
}

/** Formats degrees, such as `30.2672° N`. */
function formatDegrees(degrees: number, positive: string, negative: string): string {
  return `${Math.abs(degrees)}° ${degrees < 0 ? negative : positive}`;
}
