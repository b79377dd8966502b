import type { User } from '../model/users.ts';
import { type Executor, statement } from './database.ts';

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

/** Stores a person with their password, as better-auth looks for them; whether their address is known to be theirs. */
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

const selectByEmail = statement<{ email: string }, User>((query, parameter) =>
  query.selectFrom('users').select(['id', 'name', 'email']).where('email', '=', parameter('email')),
);

/** Who signs in with this address, which is in lower case. */
export async function findUserByEmail(executor: Executor, email: string): Promise<User | undefined> {
  const [user] = await executor.execute(selectByEmail, { email });
  return user;
}

const selectById = statement<{ id: string }, User>((query, parameter) =>
  query.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', parameter('id')),
);

export async function findUser(executor: Executor, id: string): Promise<User | undefined> {
  const [user] = await executor.execute(selectById, { id });
  return user;
}

/** Since when somebody can sign in (ISO text), and whether their address is known to be theirs. */
export interface UserOrigin {
  createdAt: string;
  isVerified: boolean;
}

const selectOrigin = statement<{ id: string }, { createdAt: string; verified: number }>((query, parameter) =>
  query
    .selectFrom('users')
    .select(['created_at as createdAt', 'email_verified as verified'])
    .where('id', '=', parameter('id')),
);

export async function findUserOrigin(executor: Executor, id: string): Promise<UserOrigin | undefined> {
  const [origin] = await executor.execute(selectOrigin, { id });
  return origin && { createdAt: origin.createdAt, isVerified: origin.verified === 1 };
}

const verify = statement<{ id: string }>((query, parameter) =>
  query.updateTable('users').set({ email_verified: 1 }).where('id', '=', parameter('id')),
);

/** Notes that somebody's address is theirs. */
export async function verifyEmail(executor: Executor, id: string): Promise<void> {
  await executor.execute(verify, { id });
}

const removeLonely = statement<Record<never, never>>((query) =>
  query
    .deleteFrom('users')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('memberships').select('user_id').whereRef('user_id', '=', 'users.id'))),
    ),
);

/** Removes everybody who belongs to no account any more, with their sessions. */
export async function removeLonelyUsers(executor: Executor): Promise<void> {
  await executor.execute(removeLonely, {});
}

const rename = statement<{ id: string; name: string; at: string }>((query, parameter) =>
  query
    .updateTable('users')
    .set({ name: parameter('name'), updated_at: parameter('at') })
    .where('id', '=', parameter('id')),
);

export async function renameUser(executor: Executor, id: string, name: string): Promise<void> {
  await executor.execute(rename, { id, name, at: new Date().toISOString() });
}

const removeOwed = statement<{ userId: string }>((query, parameter) =>
  query.deleteFrom('verifications').where('value', '=', parameter('userId')),
);

/** Removes the second factors that are owed by somebody who has typed the password. */
export async function removeChallenges(executor: Executor, userId: string): Promise<void> {
  await executor.execute(removeOwed, { userId });
}

const selectPassword = statement<{ userId: string }, { hash: string | null }>((query, parameter) =>
  query.selectFrom('credentials').select('password as hash').where('user_id', '=', parameter('userId')),
);

/** Each password that is chosen has another hash, also if it is the same one. */
export async function findPasswordHash(executor: Executor, userId: string): Promise<string | null | undefined> {
  const [credential] = await executor.execute(selectPassword, { userId });
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
