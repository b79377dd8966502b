import { keyGone } from '../../domain/principals.ts';
import { formatTime } from '../../lib/times.ts';
import { findKeyDetails, type KeyPrincipal } from '../../storage/api-keys.ts';
import { meOperation } from '../contract/operations/me.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

export function addMe(mount: Mount<KeyPrincipal>, { database }: Services): void {
  addOperation(mount, meOperation, async ({ principal }) => {
    const { accountId, keyId, access, expiresAt } = principal;
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
