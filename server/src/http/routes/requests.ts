import { nameKeys } from '../../domain/keys/key-names.ts';
import { findRequest, findRequests, type RequestFilter } from '../../domain/requests/request-history.ts';
import { formatTime } from '../../lib/times.ts';
import { AppError } from '../../model/errors.ts';
import type { EntryPosition, RequestEntry } from '../../model/request-log.ts';
import type { Database } from '../../storage/database.ts';
import { LIMIT_DEFAULT, listRequestsOperation, retrieveRequestOperation } from '../contract/operations/requests.ts';
import { endpoint } from '../endpoint.ts';
import { replyJson } from '../protocol/reply.ts';

export const requestEndpoints = [
  endpoint(listRequestsOperation, async ({ principal: { accountId } }, { query, services }) => {
    const { database, cursors, requestLog } = services;
    const { limit = LIMIT_DEFAULT, cursor, keyId, status: statuses, method: methods, code, path } = query;
    const times = { from: query['at[gte]'], until: query['at[lt]'] };
    const filter: RequestFilter = { keyId, statuses, methods, code, path, ...times };
    const scope = `requests\n${accountId}\n${JSON.stringify(filter)}`;
    const after = cursor === undefined ? undefined : parsePosition(cursors.decode(cursor, scope));
    await requestLog.flushForRead();
    const { entries, next } = await findRequests(database.requestLog, accountId, filter, { after, limit });
    const nextCursor = next === undefined ? null : cursors.encode(`${next.at} ${next.id}`, scope);
    const data = await showEntries(database, accountId, entries);
    const text = JSON.stringify({ data, nextCursor, retention: requestLog.retention ?? null });
    return { ...replyJson(200, text), isCompressible: true };
  }),
  endpoint(retrieveRequestOperation, async ({ principal: { accountId } }, { parameters, services }) => {
    const { database, requestLog } = services;
    const { entryId = '' } = parameters;
    await requestLog.flushForRead();
    const entry = await findRequest(database.requestLog, accountId, entryId);
    if (entry === undefined) throw noRequest(entryId);
    const [shown] = await showEntries(database, accountId, [entry]);
    return replyJson(200, JSON.stringify(shown));
  }),
];

/** The position comes from a signed cursor, so it is well-formed. */
function parsePosition(text: string): EntryPosition {
  const [at, id = ''] = text.split(' ');
  return { at: Number(at), id };
}

function noRequest(id: string): AppError {
  return new AppError('not_found', `There is no request ${id} in the log; its entry may have been removed.`);
}

/** Allows for differences between clocks, because another machine may have recorded a key's deletion. */
const CLOCK_DIFFERENCE_MS = 60_000;

async function showEntries(database: Database, accountId: string, entries: RequestEntry[]) {
  const ids = new Set(entries.map(({ keyId }) => keyId));
  // A request can end after the deletion of its key, but does not start after it.
  const earliestStart = Math.min(Date.now(), ...entries.map(({ at, durationMs }) => Math.floor(at - durationMs)));
  const keys = await nameKeys(database, accountId, ids, Math.max(0, earliestStart - CLOCK_DIFFERENCE_MS));
  const byId = new Map(keys.map((key) => [key.id, key]));
  return entries.map(({ id, at, keyId, ...request }) => ({
    id,
    at: formatTime(at),
    key: byId.get(keyId),
    ...request,
  }));
}
