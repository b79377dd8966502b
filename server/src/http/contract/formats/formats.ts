import type { Listing } from '../../../model/listings.ts';
import { JSON_TYPE } from '../media-types.ts';
import { encodeCell, toCsvLine } from '../schemas/listing-csv.ts';
import { LISTING_FIELDS } from '../schemas/listings.ts';
import { type ListFormat, pickFields, toLastMembers, toRows } from './list-format.ts';

const jsonFormat: ListFormat = {
  mediaType: JSON_TYPE,
  contentType: JSON_TYPE,
  hasDistance: true,
  begin: () => '{"data":[',
  rows: toRows,
  separator: ',',
  end: (frame) => `],${toLastMembers(frame)}`,
};

/** One listing per line, then a line that marks the end; a truncated list lacks that line. */
const ndjsonFormat: ListFormat = {
  mediaType: 'application/x-ndjson',
  contentType: 'application/x-ndjson',
  hasDistance: true,
  begin: () => '',
  rows: toRows,
  separator: '\n',
  end: ({ sequence, epoch, total }, count) =>
    `${count > 0 ? '\n' : ''}${JSON.stringify({ end: true, count, sequence, epoch, total })}\n`,
};

/** RFC 4180, with a header row. */
const csvFormat: ListFormat = {
  mediaType: 'text/csv',
  // Without a charset, some clients assume ISO 8859-1.
  contentType: 'text/csv; charset=utf-8',
  headers: ({ sequence, epoch, total }) => ({
    'X-Sequence': String(sequence),
    'X-Epoch': epoch,
    ...(total !== undefined && { 'X-Total-Count': String(total) }),
  }),
  begin: (fields = LISTING_FIELDS) => toCsvLine(fields),
  rows: (docs, fields = LISTING_FIELDS) =>
    docs.map((doc) => {
      const listing = JSON.parse(doc);
      return toCsvLine(fields.map((field) => encodeCell(listing[field])));
    }),
  separator: '',
  end: () => '',
};

/** A FeatureCollection (RFC 7946). A Feature keeps its id and geometry regardless of `fields`. */
const geojsonFormat: ListFormat = {
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

/** The default format comes first. */
const FORMATS = [jsonFormat, ndjsonFormat, csvFormat, geojsonFormat];

export const LIST_TYPES = FORMATS.map(({ mediaType }) => mediaType);

export function formatOf(mediaType: string): ListFormat {
  return FORMATS.find((format) => format.mediaType === mediaType) ?? jsonFormat;
}
