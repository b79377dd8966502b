import { principalGone } from '../../domain/access/principals.ts';
import { changeAccount } from '../../domain/accounts/accounts.ts';
import type { Account } from '../../model/accounts.ts';
import { findAccount } from '../../storage/accounts.ts';
import { accountPatch, retrieveAccountOperation, updateAccountOperation } from '../contract/operations/account.ts';
import { endpoint } from '../endpoint.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';

export const accountEndpoints = [
  endpoint(retrieveAccountOperation, async ({ principal }, { services }) => {
    const account = await findAccount(services.database, principal.accountId);
    if (account === undefined) throw principalGone(principal);
    return replyAccount(account);
  }),
  endpoint(updateAccountOperation, async (exchange, { services }) => {
    const { accountId, user } = exchange.principal;
    const change = await readInput(exchange, accountPatch);
    return replyAccount(await changeAccount(services.database, accountId, change, user));
  }),
];

function replyAccount({ id, name, currency, areaUnits }: Account): Reply {
  return replyJson(200, JSON.stringify({ id, name, currency, areaUnits }));
}
