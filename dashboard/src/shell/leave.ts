import { useNavigate } from '@tanstack/react-router';
import type { Session } from '../api/admin';
import { request } from '../api/client';
import { isApplyingFile } from '../lib/applied-files';
import { attempt } from '../lib/notify';
import { isImporting } from '../lib/running-import';
import { finishDeletions } from '../lib/undoable-deletions';
import { beginSession } from './session';

/** Switches the session's account in all windows of the browser. */
export function putAccount(accountId: string): Promise<Session> {
  return request<Session>('PUT', '/admin/session/account', { body: { accountId } });
}

export function useChooseAccount(): (accountId: string) => Promise<void> {
  const navigate = useNavigate();
  return (accountId) =>
    orNotify(async () => {
      await finishWork();
      const session = await putAccount(accountId);
      await navigate({ to: '/' });
      beginSession(session);
    });
}

export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  return () =>
    orNotify(async () => {
      await finishWork();
      await request('POST', '/admin/auth/sign-out', { body: {} });
      await navigate({ to: '/sign-in', state: { isSignedOut: true } });
      beginSession(null);
    });
}

/**
 * Finishes pending work, which belongs to the account that the user is leaving.
 * @throws if an import is running, or a file is being applied to a feed
 */
export async function finishWork(): Promise<void> {
  if (isImporting()) throw new Error('An import is running. Wait until it finishes, or stop it.');
  if (isApplyingFile()) throw new Error('A file is being sent to a feed. Wait until it has been applied.');
  await finishDeletions();
}

export const orNotify = (work: () => Promise<void>): Promise<void> => attempt('That didn’t work', work);
