import { createContext, useContext } from 'react';
import type { Session } from '../api/admin';
import { queryClient, sessionQuery } from '../api/queries';
import { setShown } from '../api/shown';
import { forgetDrafts } from '../lib/kept-drafts';

/** A session with a current account. All pages inside the page frame have such a session. */
export type AccountSession = Session & { account: NonNullable<Session['account']> };

export function isInAccount(session: Session): session is AccountSession {
  return session.account !== null;
}

export const SessionContext = createContext<AccountSession | undefined>(undefined);

export function useSession(): AccountSession {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('This component needs a session');
  return session;
}

export function useIsAdministrator(): boolean {
  return useSession().account.role === 'administrator';
}

/** Switches to a session or account, and clears the cached data of the previous one. Signing out clears all drafts. */
export function beginSession(session: Session | null): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  if (session === null) forgetDrafts();
  // Replace the session instead of removing its query, because observers would keep watching the removed
  // query.
  queryClient.setQueryData(sessionQuery.queryKey, session);
  // Do this last, because the listeners read the session.
  setShown(session?.account ? { userId: session.user.id, accountId: session.account.id } : undefined);
}
