import { changeRole, removeMember } from '../../domain/memberships.ts';
import type { SessionPrincipal } from '../../domain/principals.ts';
import { formatTime } from '../../lib/times.ts';
import { listMembers, type Member } from '../../storage/memberships.ts';
import {
  deleteMemberOperation,
  listMembersOperation,
  roleChange,
  updateMemberOperation,
} from '../contract/operations/members.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

/** Settings → Team. */
export function addMembers(mount: Mount<SessionPrincipal>, { database }: Services): void {
  addOperation(mount, listMembersOperation, async ({ principal: { accountId, user } }) => {
    const members = await listMembers(database, accountId);
    const data = members.map((member) => showMember(member, user.userId));
    return replyJson(200, JSON.stringify({ data, nextCursor: null }));
  });
  addOperation(mount, updateMemberOperation, async (exchange, _, { memberId = '' }) => {
    const { accountId, user } = exchange.principal;
    const { role } = await readInput(exchange, roleChange);
    const member = await changeRole(database, accountId, memberId, role, user);
    return replyJson(200, JSON.stringify(showMember(member, user.userId)));
  });
  addOperation(mount, deleteMemberOperation, async ({ principal }, _, { memberId = '' }) => {
    const { accountId, user } = principal;
    await removeMember(database, accountId, memberId, user);
    return { status: 204, headers: {} };
  });
}

function showMember({ id, name, email, role, createdAt }: Member, yourId: string) {
  return { id, name, email, role, createdAt: formatTime(createdAt), isYou: id === yourId };
}
