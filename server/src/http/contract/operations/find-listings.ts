import { z } from 'zod';
import { LIST_TYPES } from '../formats/formats.ts';
import type { Operation } from '../operation.ts';
import { IF_NONE_MATCH } from '../request-headers.ts';
import { LISTING_FIELDS, listedListing } from '../schemas/listings.ts';
import { booleanParameter, integerParameter, namesParameter } from '../schemas/parameters.ts';
import { SEARCH_PARTNERS, searchParameters } from '../schemas/searches.ts';
import { served } from './common.ts';
import { listMedia } from './list-media.ts';

const LIMIT_MAX = 1000;

export const listQuery = z.strictObject({
  ...searchParameters,
  limit: integerParameter(
    1,
    LIMIT_MAX,
    'Asks for a page of at most so many listings; without it the reply has all.',
    20,
  ).optional(),
  cursor: z
    .string()
    .meta({
      description:
        'The `nextCursor` of the page before, unchanged, with the same filters and `sort`; without `limit` all the rest. ' +
        'It never expires.',
    })
    .optional(),
  fields: namesParameter(
    LISTING_FIELDS,
    'Listings have these members only, if they have them, in the order of all replies. `id` is left out, too, unless ' +
      'it is named.',
    ['id', 'address'],
  ).optional(),
  count: booleanParameter('Whether `total` says how many listings there are on all pages.').optional(),
});

const frame = { nextCursor: null, sequence: 1, epoch: '7k2m9q4x' };

export const listOperation: Operation<'account', typeof listQuery> = {
  method: 'get',
  path: '/listings',
  operationId: 'listListings',
  summary: 'List all listings',
  description:
    'All listings of the account, newest first (descending `id`), unless filters ask for less and `sort` or `near` for ' +
    'another order. Without `limit` the whole account is streamed, whether it has ten listings or a million; a reply that ' +
    'was cut has no end of JSON. Listings that are created or deleted between two pages make no other one come twice or ' +
    'never. `sequence` was read before the first row.',
  caller: 'account',
  query: listQuery,
  partners: SEARCH_PARTNERS,
  types: LIST_TYPES,
  requestHeaders: [IF_NONE_MATCH],
  replies: [
    {
      status: 200,
      description: 'The listings.',
      schema: z
        .object({
          data: z.array(listedListing),
          nextCursor: z
            .string()
            .nullable()
            .meta({ description: 'Give it as `cursor` for the next page; null on the last.' }),
          sequence: z
            .int()
            .meta({ minimum: 0, description: "The account's sequence: it grows by one with each change." }),
          epoch: z.string().meta({ description: 'Tells sequences of a restored database from those before.' }),
          total: z
            .int()
            .optional()
            .meta({ minimum: 0, description: 'With `count=true`: how many there are on all pages.' }),
        })
        .meta({ id: 'ListingList' }),
      example: { data: [served], ...frame },
      media: listMedia(served, frame),
      headers: {
        ETag: 'Weak; changes with anything in the list.',
        Link: 'The next page, `rel="next"`, if there is one.',
        'X-Sequence': 'The `sequence`, which a CSV has no other place for.',
        'X-Epoch': 'The `epoch`, likewise.',
        'X-Total-Count': 'The `total`, likewise, if it was asked for.',
      },
    },
    {
      status: 304,
      description: 'Nothing has changed since the reply whose ETag `If-None-Match` names.',
      headers: { ETag: 'As it was.' },
    },
  ],
  errors: ['invalid_query', 'invalid_cursor', 'invalid_header'],
};
