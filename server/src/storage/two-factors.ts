import type { Executor, Parameter } from './database.ts';
import { command, firstRow, hasRow } from './functions.ts';

const selectSecret = firstRow(['userId', 'now'], (query, parameter: Parameter<{ userId: string; now: string }>) =>
  query
    .selectFrom('two_factors')
    .select('secret')
    .where('user_id', '=', parameter('userId'))
    .where((where) => where.or([where('locked_until', 'is', null), where('locked_until', '<=', parameter('now'))])),
);

/** The encrypted secret that a user's app shares with the service; undefined while wrong codes have locked it. */
export async function findTotpSecret(executor: Executor, userId: string): Promise<string | undefined> {
  const row = await selectSecret(executor, userId, new Date().toISOString());
  return row?.secret;
}

/**
 * Invalidates the codes of a time step and of earlier steps; false if they are already invalid. A last step after
 * `latest` is in the future: it was used before the clock was set back, and must not lock the user out.
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

type User = { userId: string };

/** Confirms the second factor after its first correct code. */
export const verifyTwoFactor = command(['userId'], (query, parameter: Parameter<User>) =>
  query.updateTable('two_factors').set({ verified: 1 }).where('user_id', '=', parameter('userId')),
);

const remove = command(['userId'], (query, parameter: Parameter<User>) =>
  query.deleteFrom('two_factors').where('user_id', '=', parameter('userId')),
);

const switchOff = command(['userId'], (query, parameter: Parameter<User>) =>
  query.updateTable('users').set({ two_factor_enabled: 0 }).where('id', '=', parameter('userId')),
);

/** Removes the second factor, so that the password is enough to sign in. */
export async function removeTwoFactor(executor: Executor, userId: string): Promise<void> {
  await remove(executor, userId);
  await switchOff(executor, userId);
}
