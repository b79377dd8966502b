import type { Executor, Parameter } from './database.ts';
import { allRows } from './functions.ts';
import { removeRows, updateRows } from './rows.ts';
import { removeSetupLink } from './setup-links.ts';

const removeSessions = removeRows('sessions', []);
const removeInvitations = removeRows('invitations', []);
const removeVerifications = removeRows('verifications', []);
const setLastStep = updateRows('two_factors', [], ['lastStep']);

const selectPasskeys = allRows([], (query) => query.selectFrom('passkeys').select('id'));

const selectKeys = allRows(['now'], (query, parameter: Parameter<{ now: number }>) =>
  query
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select([
      'api_keys.id',
      'api_keys.name',
      'start',
      'account_id as accountId',
      'accounts.name as accountName',
      'api_keys.created_at as createdAt',
      'api_keys.expires_at as expiresAt',
    ])
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', parameter('now'))]))
    .orderBy('account_id')
    .orderBy('api_keys.id'),
);

/** The credentials of a restored database. Some may have been revoked after the backup. */
export interface Credentials {
  /** How many sessions were ended. */
  sessions: number;
  invitations: number;
  /** Users with a second factor. Recovery codes that they used after the backup become valid again. */
  twoFactors: number;
  /** Passkeys that users deleted after the backup work again. */
  passkeys: number;
  /** All keys that have not expired stay valid, including those deleted after the backup. */
  keys: Awaited<ReturnType<typeof selectKeys>>;
}

export const findActiveAccounts = allRows([], (query) =>
  query
    .selectFrom('accounts')
    .innerJoin('account_heads', 'account_heads.account_id', 'accounts.id')
    .select(['accounts.id as accountId', 'accounts.name as accountName'])
    .where('suspended_for', 'is', null)
    .orderBy('accounts.id'),
);

const STEP_MS = 30_000;

/**
 * Invalidates sessions, invitations, setup links, unfinished sign-ins, and current authenticator codes in a
 * restored database, since they may have been used or revoked after the backup. Keys stay valid and are
 * returned.
 */
export async function endCredentials(executor: Executor): Promise<Credentials> {
  const sessions = await removeSessions(executor);
  const invitations = await removeInvitations(executor);
  await removeVerifications(executor);
  await removeSetupLink(executor);
  const twoFactors = await setLastStep(executor, { lastStep: Math.floor(Date.now() / STEP_MS) });
  const passkeys = (await selectPasskeys(executor)).length;
  return { sessions, invitations, twoFactors, passkeys, keys: await selectKeys(executor, Date.now()) };
}
