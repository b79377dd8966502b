import { requireRole } from '../../domain/managers.ts';
import { listMembers, type Member } from '../../storage/memberships.ts';
import type { Services } from '../app.ts';
import { getAdministrator } from '../identity/sessions.ts';
import { replyJson } from '../reply.ts';
import type { Routes } from '../routes.ts';

/** Who belongs to the account. */
export function addMembers(routes: Routes, { database }: Services): void {
  routes.add('GET', '/admin/members', async (exchange) => {
    const administrator = getAdministrator(exchange);
    requireRole(administrator);
    const members = await listMembers(database, administrator.accountId);
    const data = members.map((member) => showMember(member, administrator.userId));
    return replyJson(200, JSON.stringify({ data, nextCursor: null }));
  });
}

function showMember({ createdAt, ...member }: Member, yourId: string): object {
  return { ...member, createdAt: new Date(createdAt).toISOString(), isYou: member.id === yourId };
}
