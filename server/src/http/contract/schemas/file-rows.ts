import { z } from 'zod';
import { listingFields } from './listings.ts';

/** Fields that an import ignores, so that it accepts an export. */
export const IGNORED_FIELDS = ['version', 'createdAt', 'updatedAt'];

/** A JSON row, only for the OpenAPI document: the listing's own rules check the rows of a file. */
export const importRow = z
  .strictObject({
    id: z
      .string()
      .optional()
      .meta({ description: 'The listing to replace; without it, `externalId` identifies the listing.' }),
    ...listingFields,
    ...Object.fromEntries(
      IGNORED_FIELDS.map((name) => [name, z.unknown().meta({ description: 'Ignored.' }).optional()]),
    ),
  })
  .meta({ id: 'ImportRow' });
