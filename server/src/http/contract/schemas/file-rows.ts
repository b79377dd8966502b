import { z } from 'zod';
import { SERVER_FIELDS } from '../../../model/listings.ts';
import { listingPatch } from './listing-patch.ts';

/** Fields that an import ignores, so exported files can be imported. */
export const IGNORED_FIELDS: readonly string[] = SERVER_FIELDS.filter((name) => name !== 'id');

/** A row of a JSON file, only for the OpenAPI document: rows can also have RESO's names and the names in `map`. */
export const importRow = z
  .looseObject({
    id: z
      .string()
      .optional()
      .describe('The id of the listing to change; without `id`, `externalId` identifies the listing.'),
    ...listingPatch.shape,
    ...Object.fromEntries(IGNORED_FIELDS.map((name) => [name, z.unknown().describe('Ignored.').optional()])),
  })
  .meta({ id: 'ImportRow' });
