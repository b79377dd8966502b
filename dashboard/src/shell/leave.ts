import { useNavigate } from '@tanstack/react-router';
import { request } from '../api/client';
import type { Session } from '../api/types';
import { tellFailure } from '../lib/notes';
import { isImporting } from '../lib/running-import';
import { finishDeletions } from '../lib/undoable-deletions';
import { beginSession } from './session';

/** Makes it the session's account, in all windows of the browser. */
export function putAccount(accountId: string): Promise<Session> {
  return request<Session>('PUT', '/admin/session/account', { body: { accountId } });
}

/** Goes to the first page of another account. */
export function useChooseAccount(): (accountId: string) => Promise<void> {
  const navigate = useNavigate();
  return (accountId) =>
    orTell(async () => {
      await endWork();
      const session = await putAccount(accountId);
      await navigate({ to: '/' });
      beginSession(session);
    });
}

export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  return () =>
    orTell(async () => {
      await endWork();
      await request('POST', '/admin/auth/sign-out', { body: {} });
      await navigate({ to: '/sign-in', state: { isSignedOut: true } });
      beginSession(null);
    });
}

/** What is under way belongs to the account that is about to be left. */
export async function endWork(): Promise<void> {
  if (isImporting()) throw new Error('An import is running: wait for its end, or stop it first.');
  await finishDeletions();
}

/** What went wrong is said in a note: there is no form to say it in. */
export async function orTell(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    tellFailure('That did not work', error);
  }
}
