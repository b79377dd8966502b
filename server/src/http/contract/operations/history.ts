import { z } from 'zod';
import { CHANGE_ACTOR_TYPES } from '../../../model/history.ts';
import { EVENT_TYPES } from '../../../model/listings.ts';
import { operation } from '../operation.ts';
import { namedObject, time } from '../schemas/fields.ts';
import { cursorParameter, integerParameter } from '../schemas/parameters.ts';
import { okReply } from './common.ts';

const LIMIT_MAX = 1000;
export const LIMIT_DEFAULT = 100;

const historyQuery = z.strictObject({
  limit: integerParameter(1, LIMIT_MAX, `Maximum number of entries; default ${LIMIT_DEFAULT}.`, 100).optional(),
  cursor: cursorParameter('The `nextCursor` of the previous page, unchanged.'),
});

const actor = z
  .union([
    z.object({
      type: z
        .enum(CHANGE_ACTOR_TYPES)
        .describe('`key`, `user`, or `operator`; `unknown` for changes by earlier releases.'),
      id: z.string().nullable().describe('The id of the key or user.'),
      name: z.string(),
    }),
    z.object({
      type: z.literal('feed'),
      name: z.string(),
      runId: z.string().describe('The `id` of the run of the feed.'),
    }),
  ])
  .describe('Who made the change, with their name at the time.');

const fieldChange = z
  .union([
    z.object({ from: z.unknown(), to: z.unknown() }).describe('The values; null for an absent field.'),
    z
      .object({ changed: z.literal(true) })
      .describe('For `description`, `photos`, and `metadata`, whose values are not recorded.'),
  ])
  .meta({ id: 'FieldChange' });

const entry = namedObject('HistoryEntry', {
  sequence: z.int().meta({ minimum: 1, description: 'The `sequence` of the event.' }),
  version: z
    .int()
    .meta({ minimum: 1, description: "The listing's version after the change; for a deletion, its last version." }),
  at: time(),
  type: z.enum(EVENT_TYPES),
  actor,
  changes: z
    .record(z.string(), fieldChange)
    .describe('The fields that an update changed; empty for a creation and a deletion.'),
});

const history = namedObject('ListingHistory', {
  data: z.array(entry),
  nextCursor: z.string().nullable().describe('The `cursor` of the next page; null on the last page.'),
});

export const historyOperation = operation('account', 'get', '/listings/{id}/history', {
  operationId: 'listHistory',
  summary: 'List the history of a listing',
  description:
    'The changes to a listing, newest first, with the time, the actor, and the changed fields. The history is kept ' +
    'until 30 days after the listing is deleted. A page can have fewer entries than `limit` even if more follow. To ' +
    'get the whole listing as it was at a `sequence`, retrieve it with `at`.',
  query: historyQuery,
  replies: [
    okReply('A page of the history.', history, {
      data: [
        {
          sequence: 2,
          version: 2,
          at: '2026-02-03T16:12:45.120Z',
          type: 'listing.updated',
          actor: { type: 'user', id: 'usr_01kt3v9s3c5r8y0w1x2z4q6m7p', name: 'Ada Lovelace' },
          changes: { listPrice: { from: 450000, to: 439000 }, description: { changed: true } },
        },
        {
          sequence: 1,
          version: 1,
          at: '2026-01-31T09:30:00.000Z',
          type: 'listing.created',
          actor: { type: 'key', id: 'key_01kt3vb2d4f6h8j0k1m3n5p7q9', name: 'Website' },
          changes: {},
        },
      ],
      nextCursor: null,
    }),
  ],
  errors: ['not_found', 'invalid_query', 'invalid_cursor'],
});
