import { z } from 'zod';
import { LIST_TYPES } from '../list-reply.ts';
import { IF_NONE_MATCH } from '../openapi/request-headers.ts';
import type { Operation } from '../operations.ts';
import { LISTING_FIELDS, listing } from '../schemas/listings.ts';
import { integerParameter, namesParameter } from '../schemas/query.ts';
import { served } from './common.operations.ts';
import { listMedia } from './list-media.ts';

const LIMIT_MAX = 1000;

const listQuery = z.strictObject({
  limit: integerParameter(
    1,
    LIMIT_MAX,
    'Asks for a page of at most so many listings; without it the reply has all.',
  ).optional(),
  cursor: z
    .string()
    .meta({
      description: 'The `nextCursor` of the page before, unchanged; without `limit` all the rest. It never expires.',
    })
    .optional(),
  fields: namesParameter(
    LISTING_FIELDS,
    'Names of members, with commas between them: listings have these only, in the order of all replies.',
  ).optional(),
});

export type ListQuery = z.output<typeof listQuery>;

const frame = { nextCursor: null, sequence: 1, epoch: '7k2m9q4x' };

export const listOperation: Operation<typeof listQuery> = {
  method: 'get',
  path: '/listings',
  operationId: 'listListings',
  summary: 'List all listings',
  description:
    'All listings of the account, newest first (descending `id`). Without `limit` the whole account is streamed, ' +
    'whether it has ten listings or a million; a reply that was cut has no end of JSON. `sequence` was read before the first row.',
  query: listQuery,
  types: LIST_TYPES,
  requestHeaders: [IF_NONE_MATCH],
  replies: [
    {
      status: 200,
      description: 'The listings.',
      schema: z
        .object({
          data: z.array(listing),
          nextCursor: z
            .string()
            .nullable()
            .meta({ description: 'Give it as `cursor` for the next page; null on the last.' }),
          sequence: z
            .int()
            .meta({ minimum: 0, description: "The account's sequence: it grows by one with each change." }),
          epoch: z.string().meta({ description: 'Tells sequences of a restored database from those before.' }),
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
