import { deleteApiKey, issueApiKey } from '../../domain/api-keys.ts';
import { sumKeyUse } from '../../domain/key-use.ts';
import { formatTime } from '../../lib/times.ts';
import type { ApiKey } from '../../model/api-keys.ts';
import { listApiKeys } from '../../storage/api-keys.ts';
import { createKeyOperation, deleteKeyOperation, listKeysOperation, newKey } from '../contract/operations/api-keys.ts';
import { endpoint } from '../endpoint.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';

/** The endpoints of Settings → API. */
export const apiKeyEndpoints = [
  endpoint(listKeysOperation, async ({ principal: { accountId } }, { services: { database } }) => {
    const [keys, use] = await Promise.all([listApiKeys(database, accountId), sumKeyUse(database, accountId)]);
    const data = keys.map((key) => showKey(key, use.get(key.id)));
    return replyJson(200, JSON.stringify({ data, nextCursor: null }));
  }),
  endpoint(createKeyOperation, async (exchange, { services }) => {
    const { user, accountId } = exchange.principal;
    const { name, access, expiresAt } = await readInput(exchange, newKey);
    const request = {
      accountId,
      name,
      access: access ?? 'full',
      expiresAt: expiresAt ?? null,
      createdBy: user.userName,
    };
    const { key, secret } = await issueApiKey(services.database, request, user);
    return replyJson(201, JSON.stringify({ ...showKey(key), key: secret }));
  }),
  endpoint(deleteKeyOperation, async ({ principal }, { parameters: { keyId = '' }, services }) => {
    await deleteApiKey(services.database, keyId, principal.user);
    return { status: 204, headers: {} };
  }),
];

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
