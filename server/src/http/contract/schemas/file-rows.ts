import { z } from 'zod';
import { listingFields } from './listings.ts';

/** What an export adds to a listing, and an import leaves out. */
export const IGNORED_FIELDS = ['version', 'createdAt', 'updatedAt'];

/** A row of JSON, for the document: the rows of a file are checked by the listing's own rules. */
export const importRow = z
  .strictObject({
    id: z
      .string()
      .optional()
      .meta({ description: 'The listing to replace; without it, `externalId` tells which one.' }),
    ...listingFields,
    ...Object.fromEntries(
      IGNORED_FIELDS.map((name) => [name, z.unknown().meta({ description: 'Ignored.' }).optional()]),
    ),
  })
  .meta({ id: 'ImportRow' });
