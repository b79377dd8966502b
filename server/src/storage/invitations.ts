import type { Invitation, Role } from '../model/users.ts';
import { type Executor, statement } from './database.ts';
import { findRows, insertRow, takeRows } from './rows.ts';

export type RemovedInvitation = Pick<Invitation, 'id' | 'email'>;

export const removeInvitationTo = takeRows('invitations', ['accountId', 'email'], ['id', 'email']);

export const removeInvitationsBy = takeRows('invitations', ['accountId', 'inviterId'], ['id', 'email']);

const MEMBERS = ['accountId', 'id', 'email', 'role', 'invitedBy', 'createdAt', 'expiresAt'] as const;

const insert = insertRow('invitations', [...MEMBERS, 'hash', 'mailedHash', 'inviterId']);

interface StoredInvitation extends Invitation {
  inviterId: string | null;
  /** Hash of the token in the link that the inviter sees; `mailedHash` is for the mailed link. */
  hash: string;
  mailedHash: string;
}

/** Stores an invitation, replacing an earlier invitation to the same address. */
export async function putInvitation(executor: Executor, invitation: StoredInvitation): Promise<void> {
  await removeInvitationTo(executor, invitation.accountId, invitation.email);
  await insert(executor, invitation);
}

export const listInvitations = findRows('invitations', ['accountId', 'expiresAt >'], MEMBERS, 'id');

export interface OpenInvitation {
  accountId: string;
  accountName: string;
  id: string;
  email: string;
  role: Role;
  /** Whether the token is from the mailed link, which proves access to the mailbox. */
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

/** The invitation that a token with this hash opens, unless it has expired at `now`. */
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

const removeById = takeRows('invitations', ['accountId', 'id'], ['email']);

/** Returns the email address of the removed invitation; undefined if there was none. */
export async function removeInvitation(executor: Executor, accountId: string, id: string): Promise<string | undefined> {
  const [removed] = await removeById(executor, accountId, id);
  return removed?.email;
}
