import { z } from 'zod';
import { LIST_TYPES } from '../formats/formats.ts';
import { DISTANCE } from '../formats/list-format.ts';
import { operation } from '../operation.ts';
import { IF_NONE_MATCH } from '../request-headers.ts';
import { count, namedObject } from '../schemas/fields.ts';
import { LISTING_FIELDS, listing } from '../schemas/listings.ts';
import { booleanParameter, cursorParameter, integerParameter, namesParameter } from '../schemas/parameters.ts';
import { SEARCH_PARTNERS, searchParameters } from '../schemas/searches.ts';
import { served } from './common.ts';
import { listMedia } from './list-media.ts';

const LIMIT_MAX = 1000;

export const listQuery = z.strictObject({
  ...searchParameters,
  limit: integerParameter(
    1,
    LIMIT_MAX,
    'Maximum number of listings on a page; without it, the response has all listings.',
    20,
  ).optional(),
  cursor: cursorParameter(
    'The `nextCursor` of the previous page, unchanged. Send the same filters and `sort` as for that page. Without ' +
      '`limit`, the response has all remaining listings. Cursors never expire.',
  ),
  fields: namesParameter(
    [...LISTING_FIELDS, DISTANCE],
    'The members to return; the response has its usual order. `id` is returned only if you name it. With `near`, ' +
      'JSON and NDJSON can have the `distance`, in meters with one decimal place.',
    ['id', 'address'],
  ).optional(),
  count: booleanParameter('Whether to return `total`, the number of listings on all pages.').optional(),
});

const frame = { nextCursor: null, sequence: 1, epoch: '7k2m9q4x' };

export const listOperation = operation('account', 'get', '/listings', {
  operationId: 'listListings',
  summary: 'List all listings',
  description:
    "All of the account's listings, newest first (descending `id`). Filters select listings, and `sort` or `near` " +
    'changes the order. Without `limit`, all listings are streamed, however many there are; a truncated response is ' +
    'not valid JSON. If a listing is created or deleted between two pages, no other listing is repeated or skipped. ' +
    '`sequence` is read before the first listing, so the events after it include every change during the response.',
  query: listQuery,
  partners: [...SEARCH_PARTNERS, ['fields', 'near', DISTANCE]],
  types: LIST_TYPES,
  requestHeaders: [IF_NONE_MATCH],
  replies: [
    {
      status: 200,
      description: 'The listings.',
      schema: namedObject('ListingList', {
        data: z.array(listing).describe('With `fields`, listings lack all other members, even required ones.'),
        nextCursor: z.string().nullable().describe('The `cursor` of the next page; null on the last page.'),
        sequence: count("The account's sequence, which increases by one with each change."),
        epoch: z.string().describe('Identifies the history of the database; a restore changes the epoch.'),
        total: z
          .int()
          .optional()
          .meta({ minimum: 0, description: 'With `count=true`: the number of listings on all pages.' }),
      }),
      example: { data: [served], ...frame },
      media: listMedia(served, frame),
      headers: {
        ETag: 'A weak ETag, which changes whenever the list does.',
        Link: 'The next page (`rel="next"`), if there is one.',
        'X-Sequence': 'The `sequence`, for CSV.',
        'X-Epoch': 'The `epoch`, for CSV.',
        'X-Total-Count': 'The `total`, for CSV with `count=true`.',
      },
    },
    {
      status: 304,
      description: 'The list still has the ETag in `If-None-Match`.',
      headers: { ETag: 'The ETag of the list.' },
    },
  ],
  errors: ['invalid_query', 'invalid_cursor', 'invalid_header', 'http_version_not_supported'],
});
