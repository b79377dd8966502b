import { keyGone } from '../../domain/access/principals.ts';
import { formatTime } from '../../lib/times.ts';
import { findKeyDetails } from '../../storage/api-keys.ts';
import { meOperation } from '../contract/operations/me.ts';
import { endpoint } from '../endpoint.ts';
import { replyJson } from '../protocol/reply.ts';

export const meEndpoints = [
  endpoint(meOperation, async ({ principal }, { services: { database } }) => {
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
  }),
];
