import { chooseAccount } from '../../domain/memberships.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Database } from '../../storage/database.ts';
import type { Services } from '../app.ts';
import { findSignedIn, requireSignedIn, type SignedIn } from '../identity/sessions.ts';
import { readInput } from '../input.ts';
import { type Reply, replyJson } from '../reply.ts';
import type { Routes } from '../routes.ts';
import { accountChoice } from '../schemas/identity.ts';

export function addSession(routes: Routes, services: Services): void {
  const { database } = services;
  routes.add('GET', '/admin/session', async (exchange) => {
    const signedIn = await findSignedIn(exchange, services);
    return signedIn === undefined ? replyJson(200, 'null') : replySession(signedIn, database);
  });
  routes.add('PUT', '/admin/session/account', async (exchange) => {
    const signedIn = await requireSignedIn(exchange, services);
    const { accountId } = await readInput(exchange, accountChoice);
    const membership = await chooseAccount(database, signedIn, accountId);
    return replySession({ ...signedIn, membership }, database);
  });
}

/** Who is signed in, as the dashboard sees it. */
export async function replySession({ user, memberships, membership }: SignedIn, database: Database): Promise<Reply> {
  const account = membership && (await findAccount(database, membership.accountId));
  const session = {
    user,
    account: account === undefined ? null : { ...account, role: membership?.role },
    accounts: memberships.map(({ accountId, accountName, role }) => ({ id: accountId, name: accountName, role })),
  };
  return replyJson(200, JSON.stringify(session));
}
