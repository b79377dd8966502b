import { z } from 'zod';
import { DEFAULT_SETTINGS } from '../../../model/feeds.ts';
import type { Operation } from '../operation.ts';
import { IDEMPOTENCY_KEY } from '../request-headers.ts';
import { feed, feedPatch } from '../schemas/feeds.ts';
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

export const listFeedsOperation: Operation<'account'> = {
  method: 'get',
  path: '/feeds',
  operationId: 'listFeeds',
  summary: 'List the feeds',
  description:
    'All feeds of the account, sorted by name. An account can have up to 100 feeds. If the `errors` of a last run are ' +
    'longer than 16 KiB, they are left out; retrieve the feed to get them.',
  caller: 'account',
  replies: [okReply('The feeds.', z.object({ data: z.array(feed) }).meta({ id: 'FeedList' }), { data: [EXAMPLE] })],
  errors: [],
};

export const retrieveFeedOperation: Operation<'account'> = {
  method: 'get',
  path: PATH,
  operationId: 'retrieveFeed',
  summary: 'Retrieve a feed',
  description: 'The settings of the feed, the number of its listings, its last run, and whether it is late.',
  caller: 'account',
  replies: [{ status: 200, description: 'The feed.', schema: feed, example: EXAMPLE }],
  errors: ['not_found'],
  errorExamples: { not_found: NO_FEED },
};

export const updateFeedOperation: Operation<'account'> = {
  method: 'patch',
  path: PATH,
  operationId: 'updateFeed',
  summary: "Change a feed's settings",
  description:
    'Changes the settings in the body (RFC 7396); null restores a default. The settings are the default parameters ' +
    'of later runs. The first file creates the feed.',
  caller: 'account',
  requestHeaders: [IDEMPOTENCY_KEY],
  body: { types: PATCH_TYPES, schema: feedPatch, example: CHANGES },
  replies: [{ status: 200, description: 'The feed.', schema: feed, example: { ...EXAMPLE, ...CHANGES } }],
  errors: [...new Set([...CHANGE_ERRORS, ...INPUT_ERRORS]), 'not_found'],
  errorExamples: {
    not_found: NO_FEED,
    validation_failed: invalid({
      field: 'missing',
      code: 'invalid_choice',
      message: 'Must be one of keep, withdraw, delete.',
    }),
  },
};

const deleteQuery = z.strictObject({
  listings: choiceParameter(
    ['keep', 'delete'],
    "Whether the feed's listings are kept without a feed or deleted. Default `keep`.",
    'keep',
  ).optional(),
});

export const deleteFeedOperation: Operation<'account', typeof deleteQuery> = {
  method: 'delete',
  path: PATH,
  operationId: 'deleteFeed',
  summary: 'Delete a feed',
  description:
    'Deletes the feed with its settings and runs. Its listings are kept without a feed or deleted. If the request is ' +
    'interrupted, send it again.',
  caller: 'account',
  requestHeaders: [IDEMPOTENCY_KEY],
  query: deleteQuery,
  replies: [{ status: 204, description: 'Deleted.' }],
  errors: ['invalid_query', ...CHANGE_ERRORS, 'not_found', 'feed_busy'],
  errorExamples: { not_found: NO_FEED },
};
