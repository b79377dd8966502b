import { chooseAccount } from '../../domain/memberships.ts';
import type { Principal } from '../../domain/principals.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Database } from '../../storage/database.ts';
import { chooseAccountOperation, retrieveSessionOperation } from '../contract/operations/session.ts';
import { accountChoice } from '../contract/schemas/identity.ts';
import { type CurrentSession, findCurrentSession, requireCurrentSession } from '../identity/sessions.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

export function addSession(mount: Mount<Principal | undefined>, services: Services): void {
  const { database } = services;
  addOperation(mount, retrieveSessionOperation, async (exchange) => {
    const currentSession = await findCurrentSession(exchange, services);
    return currentSession === undefined ? replyJson(200, 'null') : replySession(currentSession, database);
  });
  addOperation(mount, chooseAccountOperation, async (exchange) => {
    const currentSession = await requireCurrentSession(exchange, services);
    const { accountId } = await readInput(exchange, accountChoice);
    const membership = await chooseAccount(database, currentSession, accountId);
    return replySession({ ...currentSession, membership }, database);
  });
}

/** Who is signed in, as the dashboard sees it. */
export async function replySession(
  { user, memberships, membership }: CurrentSession,
  database: Database,
): Promise<Reply> {
  const account = membership && (await findAccount(database, membership.accountId));
  const session = {
    user,
    account: account === undefined ? null : { ...account, role: membership?.role },
    accounts: memberships.map(({ accountId, accountName, role }) => ({ id: accountId, name: accountName, role })),
  };
  return replyJson(200, JSON.stringify(session));
}
