import type { User } from '../model/users.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { command, firstRow } from './functions.ts';

/** `at` is an ISO time. */
interface UserRow extends User {
  verified: number;
  at: string;
}

const insert = statement<UserRow>((query, parameter) =>
  query.insertInto('users').values({
    id: parameter('id'),
    name: parameter('name'),
    email: parameter('email'),
    email_verified: parameter('verified'),
    two_factor_enabled: 0,
    created_at: parameter('at'),
    updated_at: parameter('at'),
  }),
);

interface CredentialRow {
  id: string;
  userId: string;
  passwordHash: string;
  at: string;
}

const insertCredential = statement<CredentialRow>((query, parameter) =>
  query.insertInto('credentials').values({
    id: parameter('id'),
    user_id: parameter('userId'),
    provider_id: 'credential',
    provider_user_id: parameter('userId'),
    password: parameter('passwordHash'),
    created_at: parameter('at'),
    updated_at: parameter('at'),
  }),
);

/** Stores a user with a password in better-auth's form. `isVerified`: whether the address is known to be the user's. */
export async function insertUser(
  executor: Executor,
  user: User,
  credential: { id: string; passwordHash: string },
  isVerified: boolean,
): Promise<void> {
  const at = new Date().toISOString();
  await executor.execute(insert, { ...user, verified: isVerified ? 1 : 0, at });
  await executor.execute(insertCredential, { ...credential, userId: user.id, at });
}

/** `email` is in lower case. */
export const findUserByEmail = firstRow(['email'], (query, parameter: Parameter<{ email: string }>) =>
  query.selectFrom('users').select(['id', 'name', 'email']).where('email', '=', parameter('email')),
);

export const findUser = firstRow(['id'], (query, parameter: Parameter<{ id: string }>) =>
  query.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', parameter('id')),
);

/** A user's creation time (ISO text), and whether the address is known to be the user's. */
export interface UserOrigin {
  createdAt: string;
  isVerified: boolean;
}

const selectOrigin = firstRow(['id'], (query, parameter: Parameter<{ id: string }>) =>
  query
    .selectFrom('users')
    .select(['created_at as createdAt', 'email_verified as verified'])
    .where('id', '=', parameter('id')),
);

export async function findUserOrigin(executor: Executor, id: string): Promise<UserOrigin | undefined> {
  const origin = await selectOrigin(executor, id);
  return origin && { createdAt: origin.createdAt, isVerified: origin.verified === 1 };
}

export const verifyEmail = command(['id'], (query, parameter: Parameter<{ id: string }>) =>
  query.updateTable('users').set({ email_verified: 1 }).where('id', '=', parameter('id')),
);

/** Removes all users without a membership, with their sessions. */
export const removeLonelyUsers = command([], (query) =>
  query
    .deleteFrom('users')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('memberships').select('user_id').whereRef('user_id', '=', 'users.id'))),
    ),
);

const rename = statement<{ id: string; name: string; at: string }>((query, parameter) =>
  query
    .updateTable('users')
    .set({ name: parameter('name'), updated_at: parameter('at') })
    .where('id', '=', parameter('id')),
);

export async function renameUser(executor: Executor, id: string, name: string): Promise<void> {
  await executor.execute(rename, { id, name, at: new Date().toISOString() });
}

/** Removes the second-factor challenges of unfinished sign-ins. */
export const removeChallenges = command(['userId'], (query, parameter: Parameter<{ userId: string }>) =>
  query.deleteFrom('verifications').where('value', '=', parameter('userId')),
);

const selectPassword = firstRow(['userId'], (query, parameter: Parameter<{ userId: string }>) =>
  query.selectFrom('credentials').select('password as hash').where('user_id', '=', parameter('userId')),
);

/** The hash changes whenever a password is set, even to the same one. */
export async function findPasswordHash(executor: Executor, userId: string): Promise<string | null | undefined> {
  const credential = await selectPassword(executor, userId);
  return credential?.hash;
}

const updatePassword = statement<{ userId: string; hash: string; at: string }>((query, parameter) =>
  query
    .updateTable('credentials')
    .set({ password: parameter('hash'), updated_at: parameter('at') })
    .where('user_id', '=', parameter('userId')),
);

export async function setPasswordHash(executor: Executor, userId: string, hash: string): Promise<void> {
  await executor.execute(updatePassword, { userId, hash, at: new Date().toISOString() });
}
