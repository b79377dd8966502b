import { createId } from '../lib/ids.ts';
import { parseName } from '../model/accounts.ts';
import { parseEmail, parsePassword, type Role, type User } from '../model/administrators.ts';
import type { AuditActor } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import type { Database, Session } from '../storage/database.ts';
import { insertMembership } from '../storage/memberships.ts';
import { findUserByEmail, insertUser } from '../storage/users.ts';
import { getAccount } from './accounts.ts';
import { recordAudit } from './audit.ts';
import { hashPassword, withHashing } from './passwords.ts';

/** A person as they were given. */
export interface NewPerson {
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
export async function prepareUser({ name, email, password }: NewPerson): Promise<PreparedUser> {
  const user: User = { id: createId('usr'), name: parseName(name), email: parseEmail(email) };
  const parsed = parsePassword(password);
  const passwordHash = await withHashing(() => hashPassword(parsed));
  return { user, credential: { id: createId('crd'), passwordHash } };
}

/**
 * Makes somebody who can sign in, and belongs to an account.
 * @throws {AppError} `not_found` without such an account; `conflict` for an address that somebody signs in with;
 * `validation_failed`
 */
export async function createAdministrator(
  database: Database,
  accountId: string,
  person: NewPerson,
  role: Role,
  actor: AuditActor,
): Promise<User> {
  const prepared = await prepareUser(person);
  await database.write(async (session) => {
    await getAccount(session, accountId);
    await storeUser(session, prepared);
    await join(session, accountId, prepared.user, role, actor);
  });
  return prepared.user;
}

/** @throws {AppError} `conflict` for an address that somebody signs in with */
export async function storeUser(session: Session, { user, credential }: PreparedUser): Promise<void> {
  const existing = await findUserByEmail(session, user.email);
  if (existing !== undefined) throw new AppError('conflict', `Somebody signs in as ${user.email} already.`);
  await insertUser(session, user, credential);
}

/** Makes somebody belong to an account. */
export async function join(
  session: Session,
  accountId: string,
  { id, name }: User,
  role: Role,
  actor: AuditActor,
): Promise<void> {
  await insertMembership(session, { accountId, userId: id, role, createdAt: Date.now() });
  await recordAudit(session, accountId, actor, 'member.joined', { type: 'administrator', id, name });
}
