import { createToken, hashToken } from '../lib/tokens.ts';
import { AppError } from '../model/errors.ts';
import type { User } from '../model/users.ts';
import { findAccountIds, listAccountNames } from '../storage/accounts.ts';
import type { Database, Executor, LongTransaction } from '../storage/database.ts';
import { hasAdministrator } from '../storage/memberships.ts';
import { findSetupLink, putSetupLink, removeSetupLink } from '../storage/setup-links.ts';
import { storeAccount } from './accounts.ts';
import { join, type NewUser, type PreparedUser, prepareUser, storeUser } from './administrators.ts';
import { actorOf } from './audit.ts';

/** Long enough to find it, too short to find it by chance in an old log. */
const LINK_LIFETIME_MS = 30 * 60 * 1000;
/** So many accounts are joined in one turn of the event loop. */
const SLICE_LENGTH = 100;

/** What the sign-in page needs to know of the first administrator. */
export interface SetupState {
  /** Whether there is none yet. */
  isOpen: boolean;
  /** Whether there is no account either. */
  needsAccountName: boolean;
}

export async function findSetupState(transaction: Executor): Promise<SetupState> {
  if (await hasAdministrator(transaction)) return { isOpen: false, needsAccountName: false };
  const accounts = await findAccountIds(transaction, '', 1);
  return { isOpen: true, needsAccountName: accounts.length === 0 };
}

/** The token of a new setup link, which ends the one before it; none if there is an administrator. */
export function renewSetupLink(database: Database): Promise<string | undefined> {
  const token = createToken();
  return database.write(async (transaction) => {
    if (await hasAdministrator(transaction)) return undefined;
    await putSetupLink(transaction, { hash: hashToken(token), expiresAt: Date.now() + LINK_LIFETIME_MS });
    return token;
  });
}

export interface Setup extends NewUser {
  /** What the first account is called; of no account if there is one. */
  accountName?: string | undefined;
}

/** So many accounts are named to who sets up. */
const NAMES_TOLD_MAX = 10;

/** What somebody with the setup link will get. */
export interface SetupOffer {
  /** Of the first accounts that there are. */
  accountNames: string[];
  hasMoreAccounts: boolean;
}

/** Looks at the token of a setup link before anything is typed. @throws {AppError} as `setUp` does for the token */
export async function previewSetup(transaction: Executor, token: string): Promise<SetupOffer> {
  await requireOpen(transaction, token);
  const names = await listAccountNames(transaction, NAMES_TOLD_MAX + 1);
  return { accountNames: names.slice(0, NAMES_TOLD_MAX), hasMoreAccounts: names.length > NAMES_TOLD_MAX };
}

/**
 * Makes the first administrator, by the token of the setup link or, without one, for the operator. They get all accounts
 * there are, or a new one. Of several at once one wins.
 * @throws {AppError} `forbidden` for a link that is none (any more); `conflict` when there is an administrator;
 * `validation_failed`
 */
export async function setUp(database: Database, setup: Setup, address: string | null, token?: string): Promise<User> {
  // Before anything is hashed for somebody who has no link.
  await requireOpen(database, token);
  const prepared = await prepareUser(setup, setup.accountName);
  await database.writeLong(async (transaction) => {
    await requireOpen(transaction, token);
    await removeSetupLink(transaction);
    await storeFirst(transaction, prepared, setup.accountName, address);
  });
  return prepared.user;
}

async function requireOpen(transaction: Executor, token: string | undefined): Promise<void> {
  if (await hasAdministrator(transaction)) {
    throw new AppError('conflict', 'There is an administrator already: sign in, or ask them for an invitation.');
  }
  if (token === undefined) return;
  const link = await findSetupLink(transaction);
  if (link?.hash !== hashToken(token)) {
    throw new AppError(
      'forbidden',
      'This setup link does not work: each start of the service makes a new one, and only the newest does.',
    );
  }
  if (link.expiresAt <= Date.now()) {
    throw new AppError('forbidden', 'This setup link was good for 30 minutes: start the service anew for another.');
  }
}

async function storeFirst(
  transaction: LongTransaction,
  prepared: PreparedUser,
  accountName: string | undefined,
  address: string | null,
): Promise<void> {
  const { user } = prepared;
  const actor = actorOf({ userId: user.id, userName: user.name, email: user.email, address });
  // Whoever has the setup link is the operator.
  await storeUser(transaction, prepared, true);
  let accountIds = await findAccountIds(transaction, '', SLICE_LENGTH);
  if (accountIds.length === 0) accountIds = [(await storeAccount(transaction, requireName(accountName), actor)).id];
  while (accountIds.length > 0) {
    for (const accountId of accountIds) await join(transaction, accountId, user, 'administrator', actor);
    await transaction.nextTurn();
    accountIds = await findAccountIds(transaction, accountIds.at(-1) ?? '', SLICE_LENGTH);
  }
}

function requireName(accountName: string | undefined): string {
  if (accountName !== undefined) return accountName;
  const message = 'Is required: what the first account is called.';
  throw new AppError('validation_failed', 'There is no account yet; give the first one a name.', {
    details: [{ field: 'accountName', code: 'required', message }],
  });
}
