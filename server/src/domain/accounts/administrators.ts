import { createId } from '../../lib/ids.ts';
import { type Account, parseName } from '../../model/accounts.ts';
import type { AuditActor } from '../../model/audit.ts';
import { AppError } from '../../model/errors.ts';
import { parsePassword } from '../../model/passwords.ts';
import { parseEmail, type Role, type User } from '../../model/users.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { findMember, insertMembership, listMembershipsOf } from '../../storage/memberships.ts';
import { findUserByEmail, findUserOrigin, insertUser } from '../../storage/users.ts';
import { OPERATOR, recordAudit } from '../access/audit.ts';
import { getAccount, storeAccount } from './accounts.ts';
import { hashPassword, withHashing } from './passwords.ts';

export interface NewUser {
  name: string;
  email: string;
  password: string;
}

/** A new user whose password is already hashed, so no transaction waits for hashing. */
export interface PreparedUser {
  user: User;
  credential: { id: string; passwordHash: string };
}

/** @throws {AppError} `validation_failed` or `rate_limited` */
export async function prepareUser(given: NewUser, accountName = ''): Promise<PreparedUser> {
  const { password, ...parsed } = parseUser(given, accountName);
  const passwordHash = await withHashing(() => hashPassword(password));
  return { user: { id: createId('usr'), ...parsed }, credential: { id: createId('crd'), passwordHash } };
}

/** @throws {AppError} `validation_failed` */
export function parseUser(given: NewUser, accountName: string): NewUser {
  const [name, email] = [parseName(given.name), parseEmail(given.email)];
  return { name, email, password: parsePassword(given.password, [name, email, accountName]) };
}

interface ExistingUser {
  email: string;
  /** The existing user's id, which confirms that the user with the unverified `email` is the right person. */
  personId?: string | undefined;
}

export type Candidate = NewUser | ExistingUser;

/**
 * Adds a user to an account on behalf of the operator.
 * @throws {AppError} `not_found` for the account or the existing user, `conflict` if the user is already a
 * member, a new user's address is taken, the address is unverified, or `personId` is not the user's id, or what
 * `prepareUser` throws
 */
export async function createAdministrator(
  database: Database,
  accountId: string,
  candidate: Candidate,
  role: Role,
  actor: AuditActor,
): Promise<User> {
  const prepare = await prepareCandidate(candidate, '--existing');
  return database.write(async (transaction) => {
    await getAccount(transaction, accountId);
    const user = await prepare(transaction);
    await join(transaction, accountId, user, role, actor);
    return user;
  });
}

/** Creates an account with its first administrator. @throws {AppError} as `createAdministrator` does */
export async function createAccountFor(
  database: Database,
  name: string,
  candidate: Candidate,
): Promise<{ account: Account; user: User }> {
  const prepare = await prepareCandidate(candidate, '--admin-existing');
  return database.write(async (transaction) => {
    const account = await storeAccount(transaction, name, OPERATOR);
    const user = await prepare(transaction);
    await join(transaction, account.id, user, 'administrator', OPERATOR);
    return { account, user };
  });
}

/** `existing` is the command-line option that names an existing user. */
async function prepareCandidate(
  candidate: Candidate,
  existing: string,
): Promise<(transaction: Executor) => Promise<User>> {
  if (!('password' in candidate)) return (transaction) => getUser(transaction, candidate);
  const prepared = await prepareUser(candidate);
  return async (transaction) => {
    const { email } = prepared.user;
    if ((await findUserByEmail(transaction, email)) !== undefined) {
      throw new AppError('conflict', `A user already signs in as ${email}; use ${existing} instead of a password.`);
    }
    // The address counts as verified because the operator entered it.
    await storeUser(transaction, prepared, true);
    return prepared.user;
  };
}

async function getUser(transaction: Executor, { email: given, personId }: ExistingUser): Promise<User> {
  const email = parseEmail(given);
  const user = await findUserByEmail(transaction, email);
  if (user === undefined) {
    throw new AppError(
      'not_found',
      `There is no user with the email address ${email} yet; to create one, set a password instead.`,
    );
  }
  if (personId === user.id) return user;
  if (personId !== undefined) {
    throw new AppError('conflict', `The user with the email address ${email} has the ID ${user.id}, not ${personId}.`);
  }
  const origin = await findUserOrigin(transaction, user.id);
  if (origin?.isVerified) return user;
  throw new AppError(
    'conflict',
    `The address ${email} is not verified: ${await describeUser(transaction, user)}. Make sure that this is ` +
      `the right person, then add --person ${user.id}; to set a new password, use reset-password.`,
  );
}

/** Tells the operator more than the email address, which was chosen by the person who invited the user. */
export async function describeUser(transaction: Executor, { id, name }: User): Promise<string> {
  const origin = await findUserOrigin(transaction, id);
  const memberships = await listMembershipsOf(transaction, id);
  const accounts = memberships.map(({ accountId, accountName }) => `"${accountName}" (${accountId})`);
  return `${name}, a user since ${origin?.createdAt}, member of ${accounts.join(', ') || 'no account'}`;
}

/** @throws {AppError} `conflict` if the address is taken */
export async function storeUser(
  transaction: Executor,
  { user, credential }: PreparedUser,
  isVerified: boolean,
): Promise<void> {
  const existing = await findUserByEmail(transaction, user.email);
  if (existing !== undefined) {
    throw new AppError('conflict', `A user already signs in as ${user.email}; sign in with that user's password.`);
  }
  await insertUser(transaction, user, credential, isVerified);
}

/** @throws {AppError} `conflict` if the user is already a member */
export async function join(
  transaction: Executor,
  accountId: string,
  { id, name, email }: User,
  role: Role,
  actor: AuditActor,
): Promise<void> {
  if ((await findMember(transaction, accountId, id)) !== undefined) {
    throw new AppError('conflict', `${email} is already a member of the account.`);
  }
  await insertMembership(transaction, { accountId, userId: id, role, createdAt: Date.now() });
  await recordAudit(transaction, accountId, actor, 'member.joined', { type: 'administrator', id, name });
}
