import { type Executor, statement } from './database.ts';

type Nothing = Record<never, never>;

const removeSessions = statement<Nothing, { id: string }>((query) => query.deleteFrom('sessions').returning('id'));
const removeInvitations = statement<Nothing, { id: string }>((query) =>
  query.deleteFrom('invitations').returning('id'),
);
const removeVerifications = statement<Nothing>((query) => query.deleteFrom('verifications'));
const removeSetupLinks = statement<Nothing>((query) => query.deleteFrom('setup_links'));
const useUpCodes = statement<{ step: number }, { id: string }>((query, parameter) =>
  query
    .updateTable('two_factors')
    .set({ last_step: parameter('step') })
    .returning('id'),
);

const selectKeys = statement<Nothing, RestoredKey>((query) =>
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
    ])
    .orderBy('account_id')
    .orderBy('api_keys.id'),
);

/** An API key that is good in a restored database: it may have been deleted since the backup. */
interface RestoredKey {
  id: string;
  name: string;
  start: string;
  accountId: string;
  accountName: string;
  /** UTC milliseconds. */
  createdAt: number;
}

/** What a restored database let in that may have been ended since the backup. */
export interface Credentials {
  /** How many sessions and invitations have ended. */
  sessions: number;
  invitations: number;
  /** How many people have two-step sign-in: recovery codes that they have used since are good again. */
  twoFactors: number;
  keys: RestoredKey[];
}

const STEP_MS = 30_000;

/**
 * Ends what a restored database would let in again although it was over: sessions, invitations, setup links, half-done
 * sign-ins, and the codes that apps show now. Keys stay, and are listed.
 */
export async function endCredentials(executor: Executor): Promise<Credentials> {
  const sessions = await executor.execute(removeSessions, {});
  const invitations = await executor.execute(removeInvitations, {});
  await executor.execute(removeVerifications, {});
  await executor.execute(removeSetupLinks, {});
  const twoFactors = await executor.execute(useUpCodes, { step: Math.floor(Date.now() / STEP_MS) });
  const keys = await executor.execute(selectKeys, {});
  return {
    sessions: sessions.length,
    invitations: invitations.length,
    twoFactors: twoFactors.length,
    keys,
  };
}
