import { getOverview } from '../../domain/overview.ts';
import type { SessionPrincipal } from '../../domain/principals.ts';
import { formatTime } from '../../lib/times.ts';
import type { KeyHour } from '../../storage/key-hours.ts';
import { overviewOperation } from '../contract/operations/overview.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

export function addOverview(mount: Mount<SessionPrincipal>, { database, listingCounts }: Services): void {
  addOperation(mount, overviewOperation, async ({ principal }) => {
    const counting = listingCounts.count(principal.accountId, principal);
    const found = await getOverview(database, principal.accountId, counting);
    const { total, byStatus, usedKeys, hours, lastListingAt, keyCount } = found;
    const shown = {
      listings: { total, byStatus },
      usage: { keys: usedKeys, hours: hours.map(showHour) },
      lastListingAt,
      keyCount,
    };
    return { ...replyJson(200, JSON.stringify(shown)), isCompressible: true };
  });
}

function showHour({ hour, keyId, requests, errors }: KeyHour) {
  return { hour: formatTime(hour), keyId, requests, errors };
}
