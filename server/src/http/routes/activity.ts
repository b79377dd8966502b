import { type ActivityFilter, findActivity } from '../../domain/access/activity.ts';
import { formatTime } from '../../lib/times.ts';
import type { AuditEntry } from '../../model/audit.ts';
import { activityOperation, LIMIT_DEFAULT } from '../contract/operations/activity.ts';
import { endpoint } from '../endpoint.ts';
import { replyJson } from '../protocol/reply.ts';

export const activityEndpoints = [
  endpoint(activityOperation, async ({ principal: { accountId } }, { query, services }) => {
    const { database, cursors } = services;
    const { limit = LIMIT_DEFAULT, cursor, action: actions, actorType: actorTypes, actorId, targetId } = query;
    const times = { from: query['at[gte]'], until: query['at[lt]'] };
    const filter: ActivityFilter = { actions, actorTypes, actorId, targetId, ...times };
    const filterText = JSON.stringify(filter);
    const scope = `activity\n${accountId}${filterText === '{}' ? '' : `\n${filterText}`}`;
    const after = cursor === undefined ? undefined : cursors.decode(cursor, scope);
    const { entries, next } = await findActivity(database, accountId, filter, { after, limit });
    const nextCursor = next === undefined ? null : cursors.encode(next, scope);
    return { ...replyJson(200, JSON.stringify({ data: entries.map(showEntry), nextCursor })), isCompressible: true };
  }),
];

function showEntry({ id, at, actor, action, target }: AuditEntry) {
  const { address, ...person } = actor;
  return { id, at: formatTime(at), actor: person, action, target, address };
}
