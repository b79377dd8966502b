import type { Invitation, Role } from '../model/administrators.ts';
import { type Session, statement } from './database.ts';

const remove = statement<{ accountId: string; email: string }>((query, parameter) =>
  query
    .deleteFrom('invitations')
    .where('account_id', '=', parameter('accountId'))
    .where('email', '=', parameter('email')),
);

const insert = statement<Invitation & { hash: string }>((query, parameter) =>
  query.insertInto('invitations').values({
    account_id: parameter('accountId'),
    id: parameter('id'),
    email: parameter('email'),
    role: parameter('role'),
    hash: parameter('hash'),
    invited_by: parameter('invitedBy'),
    created_at: parameter('createdAt'),
    expires_at: parameter('expiresAt'),
  }),
);

/** Stores an invitation by the hash of its token, in place of an earlier one to the same address. */
export async function putInvitation(session: Session, invitation: Invitation, hash: string): Promise<void> {
  const { accountId, email } = invitation;
  await session.execute(remove, { accountId, email });
  await session.execute(insert, { ...invitation, hash });
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
export function listInvitations(session: Session, accountId: string, now: number): Promise<Invitation[]> {
  return session.execute(selectAll, { accountId, now });
}

/** What an invitation leads to. */
export interface OpenInvitation {
  accountId: string;
  accountName: string;
  id: string;
  email: string;
  role: Role;
}

const selectByHash = statement<{ hash: string; now: number }, OpenInvitation>((query, parameter) =>
  query
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .select(['account_id as accountId', 'accounts.name as accountName', 'invitations.id', 'email', 'role'])
    .where('hash', '=', parameter('hash'))
    .where('expires_at', '>', parameter('now')),
);

/** The invitation whose token has this hash, if it is not over `now`. */
export async function findInvitation(session: Session, hash: string, now: number): Promise<OpenInvitation | undefined> {
  const [invitation] = await session.execute(selectByHash, { hash, now });
  return invitation;
}

const removeById = statement<{ accountId: string; id: string }, { id: string; email: string }>((query, parameter) =>
  query
    .deleteFrom('invitations')
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id'))
    .returning(['id', 'email']),
);

/** To whom the invitation went that is gone now; undefined if there was none. */
export async function removeInvitation(session: Session, accountId: string, id: string): Promise<string | undefined> {
  const [removed] = await session.execute(removeById, { accountId, id });
  return removed?.email;
}
