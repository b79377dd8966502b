import { createToken, hashToken } from '../../lib/tokens.ts';
import { AppError } from '../../model/errors.ts';
import type { User } from '../../model/users.ts';
import { findAccountIds, listAccountNames } from '../../storage/accounts.ts';
import type { Database, Executor, LongTransaction } from '../../storage/database.ts';
import { hasAdministrator } from '../../storage/memberships.ts';
import { findSetupLink, putSetupLink, removeSetupLink } from '../../storage/setup-links.ts';
import { actorOf } from '../access/audit.ts';
import { storeAccount } from './accounts.ts';
import { join, type NewUser, type PreparedUser, prepareUser, storeUser } from './administrators.ts';

/** Short enough that a link in an old log has expired. */
const LINK_LIFETIME_MS = 30 * 60 * 1000;
/** Accounts per event-loop turn. */
const SLICE_LENGTH = 100;

export interface SetupState {
  /** Whether there is no administrator yet. */
  isOpen: boolean;
  needsAccountName: boolean;
}

export async function findSetupState(transaction: Executor): Promise<SetupState> {
  if (await hasAdministrator(transaction)) return { isOpen: false, needsAccountName: false };
  const accounts = await findAccountIds(transaction, '', 1);
  return { isOpen: true, needsAccountName: accounts.length === 0 };
}

/** Returns the token of a new setup link, which replaces the previous one; undefined if there is an administrator. */
export function renewSetupLink(database: Database): Promise<string | undefined> {
  const token = createToken();
  return database.write(async (transaction) => {
    if (await hasAdministrator(transaction)) return undefined;
    await putSetupLink(transaction, { hash: hashToken(token), expiresAt: Date.now() + LINK_LIFETIME_MS });
    return token;
  });
}

export interface Setup extends NewUser {
  /** The name of the first account; ignored if an account already exists. */
  accountName?: string | undefined;
}

const NAMES_SHOWN_MAX = 10;

/** The accounts that the first administrator will administer. */
export interface SetupPreview {
  accountNames: string[];
  hasMoreAccounts: boolean;
}

/** @throws {AppError} `forbidden` or `conflict`, as `setUp` does */
export async function previewSetup(transaction: Executor, token: string): Promise<SetupPreview> {
  await requireOpen(transaction, token);
  const names = await listAccountNames(transaction, NAMES_SHOWN_MAX + 1);
  return { accountNames: names.slice(0, NAMES_SHOWN_MAX), hasMoreAccounts: names.length > NAMES_SHOWN_MAX };
}

/**
 * Creates the first administrator of all existing accounts or, if there are none, of a new account. The
 * operator's command omits `token`. Only one of several concurrent calls succeeds.
 * @throws {AppError} `forbidden` for an invalid link, `conflict` if there is an administrator, or what
 * `prepareUser` throws
 */
export async function setUp(database: Database, setup: Setup, address: string | null, token?: string): Promise<User> {
  // Checked first, so no password is hashed for a request without a valid link.
  await requireOpen(database, token);
  const prepared = await prepareUser(setup, setup.accountName);
  await database.writeLong(async (transaction) => {
    await requireOpen(transaction, token);
    await removeSetupLink(transaction);
    await storeFirst(transaction, prepared, setup.accountName, address);
  });
  return prepared.user;
}

async function requireOpen(executor: Executor, token: string | undefined): Promise<void> {
  await requireNoAdministrator(executor);
  if (token === undefined) return;
  const link = await findSetupLink(executor);
  if (link?.hash !== hashToken(token)) {
    // Someone else may have used the link since the first check.
    await requireNoAdministrator(executor);
    throw new AppError(
      'forbidden',
      'This setup link is not valid; only the newest link works, and the service prints a new one each time it starts.',
    );
  }
  if (link.expiresAt <= Date.now()) {
    throw new AppError('forbidden', 'This setup link expired after 30 minutes; restart the service for a new one.');
  }
}

async function requireNoAdministrator(executor: Executor): Promise<void> {
  if (!(await hasAdministrator(executor))) return;
  throw new AppError('conflict', 'There is already an administrator; sign in, or ask them for an invitation.');
}

async function storeFirst(
  transaction: LongTransaction,
  prepared: PreparedUser,
  accountName: string | undefined,
  address: string | null,
): Promise<void> {
  const { user } = prepared;
  const actor = actorOf({ userId: user.id, userName: user.name, email: user.email, address });
  // The address counts as verified because only the operator has the setup link.
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
  const message = 'Is required: the name of the first account.';
  throw new AppError('validation_failed', 'There is no account yet; enter a name for the first one.', {
    details: [{ field: 'accountName', code: 'required', message }],
  });
}
