import { formatTime } from '../../lib/times.ts';
import type { AuditEntry } from '../../model/audit.ts';
import { findAuditEntries } from '../../storage/audit.ts';
import { activityOperation, LIMIT_DEFAULT } from '../contract/operations/activity.ts';
import { endpoint } from '../endpoint.ts';
import { replyJson } from '../protocol/reply.ts';

export const activityEndpoints = [
  endpoint(activityOperation, async ({ principal: { accountId } }, { query, services }) => {
    const { database, cursors } = services;
    const { limit = LIMIT_DEFAULT, cursor } = query;
    const scope = `activity
${accountId}`;
    const before = cursor === undefined ? undefined : cursors.decode(cursor, scope);
    const entries = await findAuditEntries(database, accountId, before, limit + 1);
    const page = entries.slice(0, limit);
    const last = page.at(-1);
    const nextCursor = entries.length > limit && last !== undefined ? cursors.encode(last.id, scope) : null;
    return { ...replyJson(200, JSON.stringify({ data: page.map(showEntry), nextCursor })), isCompressible: true };
  }),
];

function showEntry({ id, at, actor, action, target }: AuditEntry) {
  const { address, ...person } = actor;
  return { id, at: formatTime(at), actor: person, action, target, address };
}
