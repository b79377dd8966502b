import { deleteApiKey, issueApiKey } from '../../domain/api-keys.ts';
import { sumKeyUse } from '../../domain/key-use.ts';
import type { SessionPrincipal } from '../../domain/principals.ts';
import { formatTime } from '../../lib/times.ts';
import type { ApiKey } from '../../model/api-keys.ts';
import { listApiKeys } from '../../storage/api-keys.ts';
import { createKeyOperation, deleteKeyOperation, listKeysOperation, newKey } from '../contract/operations/api-keys.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

/** Settings → API. */
export function addApiKeys(mount: Mount<SessionPrincipal>, { database }: Services): void {
  addOperation(mount, listKeysOperation, async ({ principal: { accountId } }) => {
    const [keys, use] = await Promise.all([listApiKeys(database, accountId), sumKeyUse(database, accountId)]);
    const data = keys.map((key) => showKey(key, use.get(key.id)));
    return replyJson(200, JSON.stringify({ data, nextCursor: null }));
  });
  addOperation(mount, createKeyOperation, async (exchange) => {
    const { user, accountId } = exchange.principal;
    const { name, access, expiresAt } = await readInput(exchange, newKey);
    const request = {
      accountId,
      name,
      access: access ?? 'full',
      expiresAt: expiresAt ?? null,
      createdBy: user.userName,
    };
    const { key, secret } = await issueApiKey(database, request, user);
    return replyJson(201, JSON.stringify({ ...showKey(key), key: secret }));
  });
  addOperation(mount, deleteKeyOperation, async ({ principal }, _, { keyId = '' }) => {
    await deleteApiKey(database, keyId, principal.user);
    return { status: 204, headers: {} };
  });
}

function showKey(key: ApiKey, use = { requests: 0, errors: 0 }) {
  const { id, name, start, access, createdBy, createdAt, lastUsedAt, expiresAt } = key;
  return {
    id,
    name,
    start,
    access,
    createdBy,
    createdAt: formatTime(createdAt),
    lastUsedAt: formatTime(lastUsedAt),
    expiresAt: formatTime(expiresAt),
    requests24h: use.requests,
    errors24h: use.errors,
  };
}
