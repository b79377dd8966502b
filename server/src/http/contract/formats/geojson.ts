import type { Listing } from '../../../model/listings.ts';
import { type ListFormat, pickFields, toLastMembers } from './list-format.ts';

/** A FeatureCollection (RFC 7946). A Feature keeps its id and geometry regardless of `fields`. */
export const geojsonFormat: ListFormat = {
  mediaType: 'application/geo+json',
  contentType: 'application/geo+json',
  begin: () => '{"type":"FeatureCollection","features":[',
  rows: (docs, fields) => docs.map((doc) => toFeature(doc, fields === undefined ? doc : pickFields(doc, fields))),
  separator: ',',
  end: (frame) => `],${toLastMembers(frame)}`,
};

function toFeature(doc: string, properties: string): string {
  const listing: Listing = JSON.parse(doc);
  return `{"type":"Feature","id":"${listing.id}","geometry":${toGeometry(listing)},"properties":${properties}}`;
}

function toGeometry({ latitude, longitude }: Listing): string {
  if (latitude === undefined || longitude === undefined) return 'null';
  return `{"type":"Point","coordinates":[${longitude},${latitude}]}`;
}
