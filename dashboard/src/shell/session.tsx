import { createContext, useContext } from 'react';
import { queryClient, sessionQuery } from '../api/queries';
import { setShown } from '../api/shown';
import type { Session } from '../api/types';
import { forgetDrafts } from '../lib/kept-drafts';

/** Who is signed in and in which account; there is one within the frame. */
export type Present = Session & { account: NonNullable<Session['account']> };

export function isInAccount(session: Session): session is Present {
  return session.account !== null;
}

export const SessionContext = createContext<Present | undefined>(undefined);

export function usePresent(): Present {
  const present = useContext(SessionContext);
  if (present === undefined) throw new Error('Nobody is signed in here');
  return present;
}

export function useIsAdministrator(): boolean {
  return usePresent().account.role === 'administrator';
}

/** From here on somebody is signed in, or is in another account: nothing of before may be seen. */
export function beginSession(session: Session | null): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  if (session === null) forgetDrafts();
  // Not removed with the others: who watches it would watch one that is gone.
  queryClient.setQueryData(sessionQuery.queryKey, session);
  // Last: whoever is told of it finds the session of it.
  setShown(session?.account ? { userId: session.user.id, accountId: session.account.id } : undefined);
}
