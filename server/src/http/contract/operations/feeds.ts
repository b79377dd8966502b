import { z } from 'zod';
import { DEFAULT_SETTINGS } from '../../../model/feeds.ts';
import { operation } from '../operation.ts';
import { IDEMPOTENCY_KEY } from '../request-headers.ts';
import { feed, feedPatch } from '../schemas/feeds.ts';
import { namedObject } from '../schemas/fields.ts';
import { choiceParameter } from '../schemas/parameters.ts';
import { CHANGE_ERRORS, INPUT_ERRORS, invalid, okReply, PATCH_TYPES } from './common.ts';
import { EXAMPLE_RUN, NO_FEED } from './feed-runs.ts';

const PATH = '/feeds/{name}';

const EXAMPLE = {
  name: 'mls',
  ...DEFAULT_SETTINGS,
  listings: 2,
  createdAt: '2026-01-31T09:30:00.000Z',
  lastRun: EXAMPLE_RUN,
  lastSuccessAt: EXAMPLE_RUN.finishedAt,
  lastSuccessAgeSeconds: 0,
  isLate: false,
  lateSince: null,
};
const CHANGES = { map: { Price: 'listPrice' }, missing: 'withdraw', expectedEveryHours: 24 };

export const listFeedsOperation = operation('account', 'get', '/feeds', {
  operationId: 'listFeeds',
  summary: 'List the feeds',
  description:
    'All feeds of the account, sorted by name. An account can have up to 100 feeds. If the `errors` of a last run are ' +
    'longer than 16 KiB, they are left out; retrieve the feed to get them.',
  replies: [okReply('The feeds.', namedObject('FeedList', { data: z.array(feed) }), { data: [EXAMPLE] })],
});

export const retrieveFeedOperation = operation('account', 'get', PATH, {
  operationId: 'retrieveFeed',
  summary: 'Retrieve a feed',
  description: 'The settings of the feed, the number of its listings, its last run, and whether it is late.',
  replies: [okReply('The feed.', feed, EXAMPLE)],
  errors: ['not_found'],
  errorExamples: { not_found: NO_FEED },
});

export const updateFeedOperation = operation('account', 'patch', PATH, {
  operationId: 'updateFeed',
  summary: "Change a feed's settings",
  description:
    'Changes the settings in the body (RFC 7396); null restores a default. The settings are the default parameters ' +
    'of later runs. The first file creates the feed.',
  requestHeaders: [IDEMPOTENCY_KEY],
  body: { types: PATCH_TYPES, schema: feedPatch, example: CHANGES },
  replies: [okReply('The feed.', feed, { ...EXAMPLE, ...CHANGES })],
  errors: [...new Set([...CHANGE_ERRORS, ...INPUT_ERRORS]), 'not_found'],
  errorExamples: {
    not_found: NO_FEED,
    validation_failed: invalid({
      field: 'missing',
      code: 'invalid_choice',
      message: 'Must be one of keep, withdraw, delete.',
    }),
  },
});

const deleteQuery = z.strictObject({
  listings: choiceParameter(
    ['keep', 'delete'],
    "Whether the feed's listings are kept without a feed or deleted. Default `keep`.",
    'keep',
  ).optional(),
});

export const deleteFeedOperation = operation('account', 'delete', PATH, {
  operationId: 'deleteFeed',
  summary: 'Delete a feed',
  description:
    'Deletes the feed with its settings and runs. Its listings are kept without a feed or deleted. If the request is ' +
    'interrupted, send it again.',
  requestHeaders: [IDEMPOTENCY_KEY],
  query: deleteQuery,
  replies: [{ status: 204, description: 'Deleted.' }],
  errors: ['invalid_query', ...CHANGE_ERRORS, 'not_found', 'feed_busy'],
  errorExamples: { not_found: NO_FEED },
});
