import type { User } from '../model/users.ts';
import type { Executor, Parameter } from './database.ts';
import { command } from './functions.ts';
import { findRow, insertRow, removeRows, updateRows } from './rows.ts';

const insert = insertRow('users', [
  'id',
  'name',
  'email',
  'emailVerified',
  'twoFactorEnabled',
  'createdAt',
  'updatedAt',
]);

const insertCredential = insertRow('credentials', [
  'id',
  'userId',
  'providerId',
  'providerUserId',
  'password',
  'createdAt',
  'updatedAt',
]);

/** Stores a user in better-auth's format. `isVerified`: whether the address is known to be the user's. */
export async function insertUser(
  executor: Executor,
  user: User,
  credential: { id: string; passwordHash: string },
  isVerified: boolean,
): Promise<void> {
  const at = new Date().toISOString();
  const times = { createdAt: at, updatedAt: at };
  await insert(executor, { ...user, ...times, emailVerified: isVerified ? 1 : 0, twoFactorEnabled: 0 });
  const provider = { providerId: 'credential', providerUserId: user.id };
  await insertCredential(executor, {
    ...provider,
    ...times,
    id: credential.id,
    userId: user.id,
    password: credential.passwordHash,
  });
}

/** `email` must be in lower case. */
export const findUserByEmail = findRow('users', ['email'], ['id', 'name', 'email']);

export const findUser = findRow('users', ['id'], ['id', 'name', 'email']);

const selectOrigin = findRow('users', ['id'], ['createdAt', 'emailVerified']);

/** A user's creation time (ISO 8601), and whether the address is known to be the user's. */
export async function findUserOrigin(executor: Executor, id: string) {
  const origin = await selectOrigin(executor, id);
  return origin && { createdAt: origin.createdAt, isVerified: origin.emailVerified === 1 };
}

const setVerified = updateRows('users', ['id'], ['emailVerified']);

export async function verifyEmail(executor: Executor, id: string): Promise<void> {
  await setVerified(executor, id, { emailVerified: 1 });
}

/** Removes a user, with their sessions and credentials, unless the user has a membership. */
export const removeLonelyUser = command(['id'], (query, parameter: Parameter<{ id: string }>) =>
  query
    .deleteFrom('users')
    .where('id', '=', parameter('id'))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('memberships').select('user_id').whereRef('user_id', '=', 'users.id'))),
    ),
);

const rename = updateRows('users', ['id'], ['name', 'updatedAt']);

export async function renameUser(executor: Executor, id: string, name: string): Promise<void> {
  await rename(executor, id, { name, updatedAt: new Date().toISOString() });
}

/** Removes the second-factor challenges of a user's unfinished sign-ins. */
export const removeChallenges = removeRows('verifications', ['value']);

const selectPassword = findRow('credentials', ['userId'], ['password']);

/** The hash changes whenever a password is set, even to the same one. */
export async function findPasswordHash(executor: Executor, userId: string): Promise<string | null | undefined> {
  return (await selectPassword(executor, userId))?.password;
}

const updatePassword = updateRows('credentials', ['userId'], ['password', 'updatedAt']);

export async function setPasswordHash(executor: Executor, userId: string, hash: string): Promise<void> {
  await updatePassword(executor, userId, { password: hash, updatedAt: new Date().toISOString() });
}
