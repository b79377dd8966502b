import { z } from 'zod';
import { EXAMPLE_ID } from '../errors/entry.ts';
import { operation } from '../operation.ts';
import { addIssue, count, expected, inputObject, namedObject } from '../schemas/fields.ts';
import { INPUT_ERRORS, invalid, jsonBody, okReply } from './common.ts';

const IDS_MAX = 400;
/** Longer than any listing id. */
const ID_LENGTH_MAX = 40;

const id = z
  .string(expected('a string'))
  .max(ID_LENGTH_MAX, `Must have at most ${ID_LENGTH_MAX} characters.`)
  .meta({ example: EXAMPLE_ID });

export const deletionInput = inputObject('ListingDeletion', {
  ids: z
    .array(id, expected('an array'))
    .max(IDS_MAX, { error: `Must have at most ${IDS_MAX} ids; send several requests.` })
    .transform((given, context) =>
      given.length > 0 ? given : addIssue(context, 'out_of_range', 'Must have at least one id.'),
    )
    .meta({ minItems: 1, maxItems: IDS_MAX, description: 'The ids of the listings.' }),
});

const result = namedObject('ListingDeletionResult', { deleted: count('Number of listings that were deleted.') });

export const deleteSomeOperation = operation('member', 'post', '/listings/deletions', {
  operationId: 'deleteListings',
  summary: 'Delete several listings',
  description:
    'Deletes the listings with these ids. Ids without a listing are ignored, so the request can be repeated. ' +
    'The listings are deleted 50 at a time: after an error, some of them may already be deleted.',
  body: jsonBody(deletionInput, { ids: [EXAMPLE_ID] }),
  replies: [okReply('The listings are deleted.', result, { deleted: 1 })],
  errors: INPUT_ERRORS,
  errorExamples: {
    validation_failed: invalid({ field: 'ids', code: 'out_of_range', message: 'Must have at least one id.' }),
  },
});
