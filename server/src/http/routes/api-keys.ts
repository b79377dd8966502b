import { deleteApiKey, issueApiKey, renameApiKey, rollApiKey } from '../../domain/keys/api-keys.ts';
import { sumKeyUse } from '../../domain/keys/key-use.ts';
import { formatTime } from '../../lib/times.ts';
import { type ApiKey, ROLLED_HOURS_DEFAULT } from '../../model/api-keys.ts';
import { listApiKeys } from '../../storage/api-keys.ts';
import {
  createKeyOperation,
  deleteKeyOperation,
  keyChange,
  keyRoll,
  listKeysOperation,
  newKey,
  rollKeyOperation,
  updateKeyOperation,
} from '../contract/operations/api-keys.ts';
import { endpoint } from '../endpoint.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';

export const apiKeyEndpoints = [
  endpoint(listKeysOperation, async ({ principal: { accountId } }, { services: { database, keyUse } }) => {
    await keyUse.flushForRead();
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
  endpoint(updateKeyOperation, async (exchange, { parameters: { keyId = '' }, services: { database } }) => {
    const { user, accountId } = exchange.principal;
    const { name } = await readInput(exchange, keyChange);
    const key = await renameApiKey(database, keyId, name, user);
    const use = await sumKeyUse(database, accountId);
    return replyJson(200, JSON.stringify(showKey(key, use.get(keyId))));
  }),
  endpoint(rollKeyOperation, async (exchange, { parameters: { keyId = '' }, services: { database } }) => {
    const { expiresInHours } = await readInput(exchange, keyRoll);
    const hours = expiresInHours ?? ROLLED_HOURS_DEFAULT;
    const { key, secret } = await rollApiKey(database, keyId, hours, exchange.principal.user);
    return replyJson(201, JSON.stringify({ ...showKey(key), key: secret }));
  }),
  endpoint(deleteKeyOperation, async ({ principal }, { parameters: { keyId = '' }, services }) => {
    await deleteApiKey(services.database, keyId, principal.user);
    return { status: 204, headers: {} };
  }),
];

function showKey(key: ApiKey, use = { requests: 0, errors: 0 }) {
  const { id, name, start, access, createdBy, createdAt, lastUsedAt, expiresAt, replacedBy } = key;
  return {
    id,
    name,
    start,
    access,
    createdBy,
    createdAt: formatTime(createdAt),
    lastUsedAt: formatTime(lastUsedAt),
    expiresAt: formatTime(expiresAt),
    replacedBy,
    requests24h: use.requests,
    errors24h: use.errors,
  };
}
