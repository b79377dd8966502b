import { getOverview } from '../../domain/overview.ts';
import { formatTime } from '../../lib/times.ts';
import type { KeyHour } from '../../storage/key-hours.ts';
import { overviewOperation } from '../contract/operations/overview.ts';
import { endpoint } from '../endpoint.ts';
import { replyJson } from '../protocol/reply.ts';

export const overviewEndpoints = [
  endpoint(overviewOperation, async ({ principal }, { services: { database, listingCounts, keyUse } }) => {
    await keyUse.flushForRead();
    const counting = listingCounts.count(principal.accountId, principal);
    const found = await getOverview(database, principal.accountId, counting);
    const { total, byStatus, usedKeys, hours, lastListingAt, keyCount, failingWebhooks } = found;
    // Only administrators see the endpoints, because a URL can contain a secret.
    const shownWebhooks = principal.user.role === 'administrator' ? failingWebhooks : [];
    const shown = {
      listings: { total, byStatus },
      usage: { keys: usedKeys, hours: hours.map(showHour) },
      lastListingAt,
      keyCount,
      failingWebhooks: shownWebhooks.map(({ id, url, failingSince, disabledAt }) => ({
        id,
        url,
        failingSince: formatTime(failingSince),
        disabledAt: formatTime(disabledAt),
      })),
    };
    return { ...replyJson(200, JSON.stringify(shown)), isCompressible: true };
  }),
];

function showHour({ hour, keyId, requests, errors }: KeyHour) {
  return { hour: formatTime(hour), keyId, requests, errors };
}
