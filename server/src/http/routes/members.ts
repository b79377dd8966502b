import { changeRole, removeMember } from '../../domain/accounts/memberships.ts';
import { formatTime } from '../../lib/times.ts';
import { listMembers, type Member } from '../../storage/memberships.ts';
import {
  deleteMemberOperation,
  listMembersOperation,
  roleChange,
  updateMemberOperation,
} from '../contract/operations/members.ts';
import { endpoint } from '../endpoint.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';

export const memberEndpoints = [
  endpoint(listMembersOperation, async ({ principal: { accountId, user } }, { services: { database } }) => {
    const members = await listMembers(database, accountId);
    const data = members.map((member) => showMember(member, user.userId));
    return replyJson(200, JSON.stringify({ data, nextCursor: null }));
  }),
  endpoint(updateMemberOperation, async (exchange, { parameters: { memberId = '' }, services }) => {
    const { accountId, user } = exchange.principal;
    const { role } = await readInput(exchange, roleChange);
    const member = await changeRole(services.database, accountId, memberId, role, user);
    return replyJson(200, JSON.stringify(showMember(member, user.userId)));
  }),
  endpoint(deleteMemberOperation, async ({ principal }, { parameters: { memberId = '' }, services }) => {
    const { accountId, user } = principal;
    await removeMember(services.database, accountId, memberId, user);
    return { status: 204, headers: {} };
  }),
];

function showMember({ id, name, email, role, createdAt }: Member, yourId: string) {
  return { id, name, email, role, createdAt: formatTime(createdAt), isYou: id === yourId };
}
