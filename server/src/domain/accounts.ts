import { createId } from '../lib/ids.ts';
import { type Account, parseName } from '../model/accounts.ts';
import { insertAccount } from '../storage/accounts.ts';
import type { Database } from '../storage/database.ts';

/**
 * Makes an account. Prices without a currency are in US dollars, areas without a unit in square feet.
 * @throws {AppError} `validation_failed` for a name that is none
 */
export async function createAccount(database: Database, name: string): Promise<Account> {
  const account: Account = { id: createId('acc'), name: parseName(name), currency: 'USD', areaUnits: 'sqft' };
  await database.write((session) => insertAccount(session, account, Date.now()));
  return account;
}
