import { keyGone } from '../../domain/holders.ts';
import { formatTime } from '../../lib/times.ts';
import { findKeyDetails, type KeyHolder } from '../../storage/api-keys.ts';
import { meOperation } from '../contract/operations/me.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

export function addMe(mount: Mount<KeyHolder>, { database }: Services): void {
  addOperation(mount, meOperation, async ({ holder }) => {
    const { accountId, keyId, access, expiresAt } = holder;
    const details = await findKeyDetails(database, accountId, keyId);
    if (details === undefined) throw keyGone();
    const me = {
      account: { id: accountId, name: details.accountName },
      key: {
        id: keyId,
        name: details.name,
        access,
        createdAt: formatTime(details.createdAt),
        expiresAt: formatTime(expiresAt),
      },
    };
    return replyJson(200, JSON.stringify(me));
  });
}
