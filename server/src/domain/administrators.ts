import { createId } from '../lib/ids.ts';
import { type Account, parseName } from '../model/accounts.ts';
import type { AuditActor } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import { parsePassword } from '../model/passwords.ts';
import { parseEmail, type Role, type User } from '../model/users.ts';
import type { Database, Session } from '../storage/database.ts';
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
  return database.write(async (session) => {
    await getAccount(session, accountId);
    const user = await prepare(session);
    await join(session, accountId, user, role, actor);
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
  return database.write(async (session) => {
    const account = await storeAccount(session, name, OPERATOR);
    const user = await prepare(session);
    await join(session, account.id, user, 'administrator', OPERATOR);
    return { account, user };
  });
}

/** What finds or stores the candidate in a transaction; `existing` is what the operator says of who is there already. */
async function prepareCandidate(candidate: Candidate, existing: string): Promise<(session: Session) => Promise<User>> {
  if (!('password' in candidate)) return (session) => getUser(session, candidate);
  const prepared = await prepareUser(candidate);
  return async (session) => {
    const { email } = prepared.user;
    if ((await findUserByEmail(session, email)) !== undefined) {
      throw new AppError(
        'conflict',
        `Somebody signs in as ${email} already: give no password for them, but ${existing}.`,
      );
    }
    // The operator's word is enough.
    await storeUser(session, prepared, true);
    return prepared.user;
  };
}

async function getUser(session: Session, { email: given, personId }: KnownUser): Promise<User> {
  const email = parseEmail(given);
  const user = await findUserByEmail(session, email);
  if (user === undefined) {
    throw new AppError('not_found', `Nobody signs in as ${email} yet: give a password for them.`);
  }
  const origin = await findUserOrigin(session, user.id);
  if (origin?.isVerified || personId === user.id) return user;
  throw new AppError(
    'conflict',
    `Nothing shows that ${email} belongs to who signs in with it: ${await describeUser(session, user)}. Make sure that it is ` +
      `they whom you mean, then add --person ${user.id}; reset-password gives them another password.`,
  );
}

/** Who somebody is, for the operator: whoever invited them may have chosen their address. */
export async function describeUser(session: Session, { id, name }: User): Promise<string> {
  const origin = await findUserOrigin(session, id);
  const memberships = await listMembershipsOf(session, id);
  const accounts = memberships.map(({ accountId, accountName }) => `"${accountName}" (${accountId})`);
  return `${name}, here since ${origin?.createdAt}, of ${accounts.join(', ') || 'no account'}`;
}

/** @throws {AppError} `conflict` for an address that somebody signs in with */
export async function storeUser(
  session: Session,
  { user, credential }: PreparedUser,
  isVerified: boolean,
): Promise<void> {
  const existing = await findUserByEmail(session, user.email);
  if (existing !== undefined) {
    throw new AppError('conflict', `Somebody signs in as ${user.email} already, with a password of their own.`);
  }
  await insertUser(session, user, credential, isVerified);
}

/** Makes somebody belong to an account. @throws {AppError} `conflict` if they do already */
export async function join(
  session: Session,
  accountId: string,
  { id, name, email }: User,
  role: Role,
  actor: AuditActor,
): Promise<void> {
  if ((await findMember(session, accountId, id)) !== undefined) {
    throw new AppError('conflict', `${email} belongs to the account already.`);
  }
  await insertMembership(session, { accountId, userId: id, role, createdAt: Date.now() });
  await recordAudit(session, accountId, actor, 'member.joined', { type: 'administrator', id, name });
}
