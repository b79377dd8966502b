import { z } from 'zod';
import { formatOf, LIST_TYPES } from '../formats/formats.ts';
import { JSON_TYPE } from '../media-types.ts';
import type { OperationMedia } from '../operation.ts';
import { listing } from '../schemas/listings.ts';

const feature = z.object({
  type: z.literal('Feature'),
  id: z.string(),
  geometry: z
    .object({ type: z.literal('Point'), coordinates: z.array(z.number()).length(2) })
    .nullable()
    .meta({ description: 'Longitude and latitude; null if the listing has no coordinates.' }),
  properties: listing,
});

const SCHEMAS: Record<string, z.ZodType> = {
  'application/x-ndjson': z
    .string()
    .meta({ description: 'One listing per line, then a line that marks the end of the list.' }),
  'text/csv': z.string().meta({ description: 'A header row of field names, then one listing per line (RFC 4180).' }),
  'application/geo+json': z
    .object({
      type: z.literal('FeatureCollection'),
      features: z.array(feature),
      nextCursor: z.string().nullable(),
      sequence: z.int(),
      epoch: z.string(),
      total: z.int().optional(),
    })
    .meta({ id: 'ListingFeatures', description: 'RFC 7946.' }),
};

/** A list of one listing in every format except JSON, written by the formats themselves. */
export function listMedia(served: object, frame: { nextCursor: null; sequence: number; epoch: string }) {
  const types = LIST_TYPES.filter((type) => type !== JSON_TYPE);
  return Object.fromEntries(types.map((type) => [type, describe(type, JSON.stringify(served), frame)]));
}

function describe(type: string, doc: string, frame: Parameters<typeof listMedia>[1]): OperationMedia {
  const format = formatOf(type);
  const text = format.begin(undefined) + format.rows([doc], undefined).join(format.separator) + format.end(frame, 1);
  return {
    schema: SCHEMAS[type] ?? z.string(),
    example: type.endsWith('json') && !type.includes('nd') ? JSON.parse(text) : text,
  };
}
