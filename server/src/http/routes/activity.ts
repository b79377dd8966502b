import type { SessionPrincipal } from '../../domain/principals.ts';
import { formatTime } from '../../lib/times.ts';
import type { AuditEntry } from '../../model/audit.ts';
import { findAuditEntries } from '../../storage/audit.ts';
import { activityOperation, LIMIT_DEFAULT } from '../contract/operations/activity.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

export function addActivity(mount: Mount<SessionPrincipal>, { database, cursors }: Services): void {
  addOperation(mount, activityOperation, async ({ principal: { accountId } }, { limit = LIMIT_DEFAULT, cursor }) => {
    const scope = `activity\n${accountId}`;
    const before = cursor === undefined ? undefined : cursors.decode(cursor, scope);
    const entries = await findAuditEntries(database, accountId, before, limit + 1);
    const page = entries.slice(0, limit);
    const last = page.at(-1);
    const nextCursor = entries.length > limit && last !== undefined ? cursors.encode(last.id, scope) : null;
    return { ...replyJson(200, JSON.stringify({ data: page.map(showEntry), nextCursor })), isCompressible: true };
  });
}

function showEntry({ id, at, actor, action, target }: AuditEntry) {
  const { address, ...person } = actor;
  return { id, at: formatTime(at), actor: person, action, target, address };
}
