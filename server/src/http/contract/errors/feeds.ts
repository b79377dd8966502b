import type { ErrorCode } from '../../../model/errors.ts';
import { emptyCounts } from '../../../model/feeds.ts';
import { type ErrorEntry, EXAMPLE_ID, KEY } from './entry.ts';

export const FEED_ERRORS = {
  belongs_to_feed: {
    status: 409,
    title: 'The listing belongs to another feed',
    meaning:
      "A listing belongs to at most one feed. A row in a feed's file gets this error if the listing with the row's " +
      '`externalId` belongs to the feed in `feed`. That listing was not changed.',
    remedy:
      "Remove the row from this file, or give it another `externalId`. To move a feed's listings to another feed, " +
      'delete the first feed with `listings=keep`; the other feed then adopts them with its next file that contains ' +
      'their external ids.',
    example: {
      message: `The listing ${EXAMPLE_ID} belongs to the feed mls; remove the row, or use another externalId.`,
      members: { feed: 'mls', listingId: EXAMPLE_ID },
    },
  },
  feed_guard: {
    status: 409,
    title: 'The guard stopped the run',
    meaning:
      'No listing was changed, because the file is empty or cut short, too many of its rows failed, or too many of ' +
      "the feed's listings are missing from it. `reasons` lists the causes, and `plan` counts what the file would " +
      'change. If `reasons` is empty, the request had the parameter `plan`, and the file or the listings have ' +
      'changed since that plan was made; `expected` counts what that plan would have changed. If the message says ' +
      'that the run stopped early, too many rows failed while the plan was being applied, because listings or quotas ' +
      'have changed in the meantime; earlier changes remain, but missing listings were not withdrawn or deleted.',
    remedy:
      'Check the file. If it is empty or cut short, send the complete file. Otherwise, if it is correct, send it ' +
      'again with the parameter in the message, such as `missingMax=12`, or with `plan=` and the `planId` of this ' +
      'error, which allows exactly these changes.',
    commands: [
      `printf '' | curl -i -X PUT $API/feeds/mls ${KEY} -H "Content-Type: application/x-ndjson" --data-binary @-`,
    ],
    example: {
      message: 'Nothing was changed: the file has no rows. Send the complete file.',
      members: {
        runId: 'run_01kt3vwq8r5f0x4m2n7p9s1d6h',
        reasons: [{ reason: 'empty', message: 'the file has no rows' }],
        plan: emptyCounts(),
        planId: 'q0WmP3dVtV7mWv0lS9nT3hbHN0XzAxa3QzdndxOHI1ZjB4NG0ybjdwOXMxZDZo',
      },
    },
  },
  feed_busy: {
    status: 409,
    title: 'A run of the feed is in progress',
    meaning: 'One file of a feed is processed at a time, and none while the feed is being deleted. Nothing was done.',
    remedy:
      'Wait until the run has finished: `GET /v1/feeds/{name}` shows it as `lastRun`. If a process of the service ' +
      'was killed, its run ends as `interrupted` within 15 seconds.',
    headers: { 'Retry-After': '5' },
    example: {
      message: 'A run or the deletion of the feed mls is in progress; wait until it has finished.',
      members: { runId: 'run_01kt3vwq8r5f0x4m2n7p9s1d6h' },
    },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
