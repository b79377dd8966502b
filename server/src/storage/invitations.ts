import type { Invitation, Role } from '../model/users.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { allRows, columnsOf, firstRow } from './functions.ts';
import { insertRow } from './rows.ts';

export interface RemovedInvitation {
  id: string;
  email: string;
}

type ToAddress = { accountId: string; email: string };

/** Removes the invitation to an email address, if there is one. */
export const removeInvitationTo = allRows(['accountId', 'email'], (query, parameter: Parameter<ToAddress>) =>
  query
    .deleteFrom('invitations')
    .where('account_id', '=', parameter('accountId'))
    .where('email', '=', parameter('email'))
    .returning(['id', 'email']),
);

type ByInviter = { accountId: string; inviterId: string };

/** Removes the invitations that a user has sent. */
export const removeInvitationsBy = allRows(['accountId', 'inviterId'], (query, parameter: Parameter<ByInviter>) =>
  query
    .deleteFrom('invitations')
    .where('account_id', '=', parameter('accountId'))
    .where('inviter_id', '=', parameter('inviterId'))
    .returning(['id', 'email']),
);

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

type OpenAt = { accountId: string; now: number };

/** The account's open invitations, oldest first. */
export const listInvitations = allRows(['accountId', 'now'], (query, parameter: Parameter<OpenAt>) =>
  query
    .selectFrom('invitations')
    .select(columnsOf(MEMBERS))
    .where('account_id', '=', parameter('accountId'))
    .where('expires_at', '>', parameter('now'))
    .orderBy('id'),
);

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

type InvitationKey = { accountId: string; id: string };

const removeById = firstRow(['accountId', 'id'], (query, parameter: Parameter<InvitationKey>) =>
  query
    .deleteFrom('invitations')
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id'))
    .returning(['id', 'email']),
);

/** Returns the email address of the removed invitation; undefined if there was none. */
export async function removeInvitation(executor: Executor, accountId: string, id: string): Promise<string | undefined> {
  return (await removeById(executor, accountId, id))?.email;
}
