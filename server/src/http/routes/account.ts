import { changeAccount } from '../../domain/accounts.ts';
import { principalGone, type SessionPrincipal } from '../../domain/principals.ts';
import type { Account } from '../../model/accounts.ts';
import { findAccount } from '../../storage/accounts.ts';
import { accountPatch, retrieveAccountOperation, updateAccountOperation } from '../contract/operations/account.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

/** Settings → Account. */
export function addAccount(mount: Mount<SessionPrincipal>, { database }: Services): void {
  addOperation(mount, retrieveAccountOperation, async ({ principal }) => {
    const account = await findAccount(database, principal.accountId);
    if (account === undefined) throw principalGone(principal);
    return replyAccount(account);
  });
  addOperation(mount, updateAccountOperation, async (exchange) => {
    const { accountId, user } = exchange.principal;
    const change = await readInput(exchange, accountPatch);
    return replyAccount(await changeAccount(database, accountId, change, user));
  });
}

function replyAccount({ id, name, currency, areaUnits }: Account): Reply {
  return replyJson(200, JSON.stringify({ id, name, currency, areaUnits }));
}
