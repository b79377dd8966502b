import { createId } from '../lib/ids.ts';
import { type Account, parseName } from '../model/accounts.ts';
import type { AuditActor } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import { parsePassword } from '../model/passwords.ts';
import { parseEmail, type Role, type User } from '../model/users.ts';
import type { Database, Executor } from '../storage/database.ts';
import { findMember, insertMembership, listMembershipsOf } from '../storage/memberships.ts';
import { findUserByEmail, findUserOrigin, insertUser } from '../storage/users.ts';
import { getAccount, storeAccount } from './accounts.ts';
import { OPERATOR, recordAudit } from './audit.ts';
import { hashPassword, withHashing } from './passwords.ts';

/** A person as they were given. */
export interface NewUser {
  name: string;
  email: string;
  password: string;
}

/** A person who can be stored: hashing takes long, and a transaction must not wait for it. */
export interface PreparedUser {
  user: User;
  credential: { id: string; passwordHash: string };
}

/** @throws {AppError} `validation_failed`; `rate_limited` */
export async function prepareUser({ name, email, password }: NewUser, accountName = ''): Promise<PreparedUser> {
  const user: User = { id: createId('usr'), name: parseName(name), email: parseEmail(email) };
  const parsed = parsePassword(password, [user.name, user.email, accountName]);
  const passwordHash = await withHashing(() => hashPassword(parsed));
  return { user, credential: { id: createId('crd'), passwordHash } };
}

/** Somebody who can sign in already; their id says that it is they who are meant. */
interface KnownUser {
  email: string;
  personId?: string | undefined;
}

/** Somebody for an account: a new person, or one who can sign in already. */
export type Candidate = NewUser | KnownUser;

/**
 * Lets somebody into an account, as the operator does.
 * @throws {AppError} `not_found` without such an account or, if no password is given, such a person; `conflict` for
 * somebody who belongs to it, who has a password already, or whose address was never shown to be theirs;
 * `validation_failed`
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

/** Makes an account with its first administrator. @throws {AppError} as `createAdministrator` */
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

/** What finds or stores the candidate in a transaction; `existing` is what the operator says of who is there already. */
async function prepareCandidate(
  candidate: Candidate,
  existing: string,
): Promise<(transaction: Executor) => Promise<User>> {
  if (!('password' in candidate)) return (transaction) => getUser(transaction, candidate);
  const prepared = await prepareUser(candidate);
  return async (transaction) => {
    const { email } = prepared.user;
    if ((await findUserByEmail(transaction, email)) !== undefined) {
      throw new AppError(
        'conflict',
        `Somebody signs in as ${email} already: give no password for them, but ${existing}.`,
      );
    }
    // The operator's word is enough.
    await storeUser(transaction, prepared, true);
    return prepared.user;
  };
}

async function getUser(transaction: Executor, { email: given, personId }: KnownUser): Promise<User> {
  const email = parseEmail(given);
  const user = await findUserByEmail(transaction, email);
  if (user === undefined) {
    throw new AppError('not_found', `Nobody signs in as ${email} yet: give a password for them.`);
  }
  const origin = await findUserOrigin(transaction, user.id);
  if (origin?.isVerified || personId === user.id) return user;
  throw new AppError(
    'conflict',
    `Nothing shows that ${email} belongs to who signs in with it: ${await describeUser(transaction, user)}. Make sure that it is ` +
      `they whom you mean, then add --person ${user.id}; reset-password gives them another password.`,
  );
}

/** Who somebody is, for the operator: whoever invited them may have chosen their address. */
export async function describeUser(transaction: Executor, { id, name }: User): Promise<string> {
  const origin = await findUserOrigin(transaction, id);
  const memberships = await listMembershipsOf(transaction, id);
  const accounts = memberships.map(({ accountId, accountName }) => `"${accountName}" (${accountId})`);
  return `${name}, here since ${origin?.createdAt}, of ${accounts.join(', ') || 'no account'}`;
}

/** @throws {AppError} `conflict` for an address that somebody signs in with */
export async function storeUser(
  transaction: Executor,
  { user, credential }: PreparedUser,
  isVerified: boolean,
): Promise<void> {
  const existing = await findUserByEmail(transaction, user.email);
  if (existing !== undefined) {
    throw new AppError('conflict', `Somebody signs in as ${user.email} already, with a password of their own.`);
  }
  await insertUser(transaction, user, credential, isVerified);
}

/** Makes somebody belong to an account. @throws {AppError} `conflict` if they do already */
export async function join(
  transaction: Executor,
  accountId: string,
  { id, name, email }: User,
  role: Role,
  actor: AuditActor,
): Promise<void> {
  if ((await findMember(transaction, accountId, id)) !== undefined) {
    throw new AppError('conflict', `${email} belongs to the account already.`);
  }
  await insertMembership(transaction, { accountId, userId: id, role, createdAt: Date.now() });
  await recordAudit(transaction, accountId, actor, 'member.joined', { type: 'administrator', id, name });
}
