import type { Invitation, Role } from '../model/users.ts';
import { type Executor, statement } from './database.ts';

/** An invitation that is gone now. */
export interface RemovedInvitation {
  id: string;
  email: string;
}

const removeByEmail = statement<{ accountId: string; email: string }, RemovedInvitation>((query, parameter) =>
  query
    .deleteFrom('invitations')
    .where('account_id', '=', parameter('accountId'))
    .where('email', '=', parameter('email'))
    .returning(['id', 'email']),
);

/** Ends the invitation that went to an address, if there is one. */
export function removeInvitationTo(executor: Executor, accountId: string, email: string): Promise<RemovedInvitation[]> {
  return executor.execute(removeByEmail, { accountId, email });
}

const removeByInviter = statement<{ accountId: string; inviterId: string }, RemovedInvitation>((query, parameter) =>
  query
    .deleteFrom('invitations')
    .where('account_id', '=', parameter('accountId'))
    .where('inviter_id', '=', parameter('inviterId'))
    .returning(['id', 'email']),
);

/** Ends what somebody has invited to. */
export function removeInvitationsBy(
  executor: Executor,
  accountId: string,
  inviterId: string,
): Promise<RemovedInvitation[]> {
  return executor.execute(removeByInviter, { accountId, inviterId });
}

const insert = statement<StoredInvitation>((query, parameter) =>
  query.insertInto('invitations').values({
    account_id: parameter('accountId'),
    id: parameter('id'),
    email: parameter('email'),
    role: parameter('role'),
    hash: parameter('hash'),
    mailed_hash: parameter('mailedHash'),
    inviter_id: parameter('inviterId'),
    invited_by: parameter('invitedBy'),
    created_at: parameter('createdAt'),
    expires_at: parameter('expiresAt'),
  }),
);

interface StoredInvitation extends Invitation {
  inviterId: string | null;
  /** Of the token in its link, and of the one in the link that is mailed. */
  hash: string;
  mailedHash: string;
}

/** Stores an invitation in place of an earlier one to the same address. */
export async function putInvitation(executor: Executor, invitation: StoredInvitation): Promise<void> {
  await removeInvitationTo(executor, invitation.accountId, invitation.email);
  await executor.execute(insert, invitation);
}

const selectAll = statement<{ accountId: string; now: number }, Invitation>((query, parameter) =>
  query
    .selectFrom('invitations')
    .select([
      'account_id as accountId',
      'id',
      'email',
      'role',
      'invited_by as invitedBy',
      'created_at as createdAt',
      'expires_at as expiresAt',
    ])
    .where('account_id', '=', parameter('accountId'))
    .where('expires_at', '>', parameter('now'))
    .orderBy('id'),
);

/** The invitations to an account that nobody has accepted yet, the oldest first. */
export function listInvitations(executor: Executor, accountId: string, now: number): Promise<Invitation[]> {
  return executor.execute(selectAll, { accountId, now });
}

/** What an invitation leads to. */
export interface OpenInvitation {
  accountId: string;
  accountName: string;
  id: string;
  email: string;
  role: Role;
  /** Whether it was the mailed link: then whoever has it reads the mail of the address. */
  isMailed: boolean;
}

type FoundInvitation = Omit<OpenInvitation, 'isMailed'> & { mailedHash: string };

const selectByHash = statement<{ hash: string; now: number }, FoundInvitation>((query, parameter) =>
  query
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .select([
      'account_id as accountId',
      'accounts.name as accountName',
      'invitations.id',
      'email',
      'role',
      'mailed_hash as mailedHash',
    ])
    .where((where) => where.or([where('hash', '=', parameter('hash')), where('mailed_hash', '=', parameter('hash'))]))
    .where('expires_at', '>', parameter('now')),
);

/** The invitation of which a token has this hash, if it is not over `now`. */
export async function findInvitation(
  executor: Executor,
  hash: string,
  now: number,
): Promise<OpenInvitation | undefined> {
  const [found] = await executor.execute(selectByHash, { hash, now });
  if (found === undefined) return undefined;
  const { mailedHash, ...invitation } = found;
  return { ...invitation, isMailed: mailedHash === hash };
}

const removeById = statement<{ accountId: string; id: string }, RemovedInvitation>((query, parameter) =>
  query
    .deleteFrom('invitations')
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id'))
    .returning(['id', 'email']),
);

/** To whom the invitation went that is gone now; undefined if there was none. */
export async function removeInvitation(executor: Executor, accountId: string, id: string): Promise<string | undefined> {
  const [removed] = await executor.execute(removeById, { accountId, id });
  return removed?.email;
}
