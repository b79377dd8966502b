import { chooseAccount } from '../../domain/accounts/memberships.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Database } from '../../storage/database.ts';
import { chooseAccountOperation, retrieveSessionOperation } from '../contract/operations/session.ts';
import { accountChoice } from '../contract/schemas/identity.ts';
import { endpoint } from '../endpoint.ts';
import { type CurrentSession, findCurrentSession } from '../identity/sessions.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';

export const sessionEndpoints = [
  endpoint(retrieveSessionOperation, async (exchange, { services }) => {
    const currentSession = await findCurrentSession(exchange, services);
    return currentSession === undefined ? replyJson(200, 'null') : replySession(currentSession, services.database);
  }),
  endpoint(chooseAccountOperation, async (exchange, { services: { database } }) => {
    const { currentSession } = exchange;
    const { accountId } = await readInput(exchange, accountChoice);
    const membership = await chooseAccount(database, currentSession, accountId);
    return replySession({ ...currentSession, membership }, database);
  }),
];

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
