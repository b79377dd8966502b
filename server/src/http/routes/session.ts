import type { Holder } from '../../domain/holders.ts';
import { chooseAccount } from '../../domain/memberships.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Database } from '../../storage/database.ts';
import { chooseAccountOperation, retrieveSessionOperation } from '../contract/operations/session.ts';
import { accountChoice } from '../contract/schemas/identity.ts';
import { findSignedIn, requireSignedIn, type SignedIn } from '../identity/sessions.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

export function addSession(mount: Mount<Holder | undefined>, services: Services): void {
  const { database } = services;
  addOperation(mount, retrieveSessionOperation, async (exchange) => {
    const signedIn = await findSignedIn(exchange, services);
    return signedIn === undefined ? replyJson(200, 'null') : replySession(signedIn, database);
  });
  addOperation(mount, chooseAccountOperation, async (exchange) => {
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
