import type { Executor, Parameter } from './database.ts';
import { firstRow, hasRow } from './functions.ts';
import { findRow, removeRows, updateRows } from './rows.ts';

const selectSecret = firstRow(['userId', 'now'], (query, parameter: Parameter<{ userId: string; now: string }>) =>
  query
    .selectFrom('two_factors')
    .select('secret')
    .where('user_id', '=', parameter('userId'))
    .where((where) => where.or([where('locked_until', 'is', null), where('locked_until', '<=', parameter('now'))])),
);

/**
 * The encrypted secret that a user's authenticator app shares with the service; undefined without a second factor,
 * or while it is locked after too many wrong codes.
 */
export async function findTotpSecret(executor: Executor, userId: string): Promise<string | undefined> {
  const row = await selectSecret(executor, userId, new Date().toISOString());
  return row?.secret;
}

/**
 * Invalidates the codes of a time step and of earlier steps; false if they are already invalid. A last step
 * after `latest` is in the future: it was used before the clock was set back, and must not lock the user out.
 */
export const useTotpStep = hasRow(
  ['userId', 'step', 'latest'],
  (query, parameter: Parameter<{ userId: string; step: number; latest: number }>) =>
    query
      .updateTable('two_factors')
      .set({ last_step: parameter('step') })
      .where('user_id', '=', parameter('userId'))
      .where((where) =>
        where.or([
          where('last_step', 'is', null),
          where('last_step', '<', parameter('step')),
          where('last_step', '>', parameter('latest')),
        ]),
      )
      .returning('id'),
);

const setVerified = updateRows('two_factors', ['userId'], ['verified']);

/** Confirms the second factor after its first correct code. */
export async function verifyTwoFactor(executor: Executor, userId: string): Promise<void> {
  await setVerified(executor, userId, { verified: 1 });
}

const selectVerified = findRow('two_factors', ['userId'], ['verified']);

export async function hasTwoFactor(executor: Executor, userId: string): Promise<boolean> {
  return (await selectVerified(executor, userId))?.verified === 1;
}

const remove = removeRows('two_factors', ['userId']);

const setTwoFactor = updateRows('users', ['id'], ['twoFactorEnabled']);

/** Removes the second factor, so that the password is enough to sign in. */
export async function removeTwoFactor(executor: Executor, userId: string): Promise<void> {
  await remove(executor, userId);
  await setTwoFactor(executor, userId, { twoFactorEnabled: 0 });
}
