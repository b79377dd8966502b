import { createAccount } from '../../server/src/domain/accounts/accounts.ts';
import { issueApiKey } from '../../server/src/domain/keys/api-keys.ts';
import type { Access } from '../../server/src/model/api-keys.ts';
import type { Role } from '../../server/src/model/users.ts';
import { openDatabase } from '../../server/src/storage/open.ts';
import { createPerson, type Person } from './browser.ts';
import { type Cleanup, defer } from './cleanup.ts';

/** The operator's commands, which run in this process. */
export interface Operator {
  createAccount(name: string): Promise<string>;
  createKey(accountId: string, given: { name: string; access?: Access; expiresAt?: number }): Promise<GivenKey>;
  createPerson(given: { accountId: string; role: Role; name: string; email: string }): Promise<Person>;
}

interface GivenKey {
  id: string;
  /** The key itself. */
  secret: string;
}

/** Opens the database of a service that runs in another process, for the operator's commands. */
export async function openOperator(t: Cleanup, databaseUrl: string): Promise<Operator> {
  const database = await openDatabase(databaseUrl);
  defer(t, () => database.close());
  return {
    async createAccount(name) {
      return (await createAccount(database, name)).id;
    },
    async createKey(
      accountId,
      { name, access = 'full', expiresAt = null }: { name: string; access?: Access; expiresAt?: number | null },
    ) {
      const { key, secret } = await issueApiKey(database, { accountId, name, access, expiresAt, createdBy: null });
      return { id: key.id, secret };
    },
    createPerson: (given) => createPerson({ database }, given),
  };
}
