import { readHistory } from '../../domain/listings/history.ts';
import { UNKNOWN_ACTOR } from '../../model/history.ts';
import type { HistoryEntry } from '../../storage/history.ts';
import { historyOperation, LIMIT_DEFAULT } from '../contract/operations/history.ts';
import { endpoint } from '../endpoint.ts';
import { replyJson } from '../protocol/reply.ts';

export const historyEndpoints = [
  endpoint(historyOperation, async ({ principal }, { query, parameters: { id = '' }, services }) => {
    const { database, cursors } = services;
    const { limit = LIMIT_DEFAULT, cursor } = query;
    const scope = `history\n${principal.accountId}\n${id}`;
    const before = cursor === undefined ? undefined : Number(cursors.decode(cursor, scope));
    const { entries, nextBefore } = await readHistory(database, principal, id, { before, limit });
    const nextCursor = nextBefore === undefined ? null : cursors.encode(String(nextBefore), scope);
    const body = `{"data":[${entries.map(entryJson).join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`;
    return { ...replyJson(200, body), isCompressible: true };
  }),
];

/** Returns an entry as JSON, into which the stored JSON strings are inserted. */
function entryJson({ sequence, version, at, type, actor, changes }: HistoryEntry): string {
  const by = actor ?? JSON.stringify(UNKNOWN_ACTOR);
  const fields = `"sequence":${sequence},"version":${version},"at":"${at}","type":"${type}"`;
  return `{${fields},"actor":${by},"changes":${changes ?? '{}'}}`;
}
