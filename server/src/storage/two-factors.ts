import { type Executor, statement } from './database.ts';

const selectSecret = statement<{ userId: string; now: string }, { secret: string }>((query, parameter) =>
  query
    .selectFrom('two_factors')
    .select('secret')
    .where('user_id', '=', parameter('userId'))
    .where((where) => where.or([where('locked_until', 'is', null), where('locked_until', '<=', parameter('now'))])),
);

/** What a person's app shares with the service, encrypted; none while wrong codes have locked it. */
export async function findTotpSecret(executor: Executor, userId: string): Promise<string | undefined> {
  const [row] = await executor.execute(selectSecret, { userId, now: new Date().toISOString() });
  return row?.secret;
}

const useStep = statement<{ userId: string; step: number; latest: number }, { id: string }>((query, parameter) =>
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

/**
 * Uses up the code of a step of time, and those before it; false if it was used up before. One after `latest`, which the
 * clock has not come to, was used before the clock was set back: it keeps nobody out.
 */
export async function useTotpStep(executor: Executor, userId: string, step: number, latest: number): Promise<boolean> {
  const rows = await executor.execute(useStep, { userId, step, latest });
  return rows.length > 0;
}

const verify = statement<{ userId: string }>((query, parameter) =>
  query.updateTable('two_factors').set({ verified: 1 }).where('user_id', '=', parameter('userId')),
);

/** The app has shown a right code. */
export async function verifyTwoFactor(executor: Executor, userId: string): Promise<void> {
  await executor.execute(verify, { userId });
}

const remove = statement<{ userId: string }>((query, parameter) =>
  query.deleteFrom('two_factors').where('user_id', '=', parameter('userId')),
);

const switchOff = statement<{ userId: string }>((query, parameter) =>
  query.updateTable('users').set({ two_factor_enabled: 0 }).where('id', '=', parameter('userId')),
);

/** Lets somebody sign in by their password alone. */
export async function removeTwoFactor(executor: Executor, userId: string): Promise<void> {
  await executor.execute(remove, { userId });
  await executor.execute(switchOff, { userId });
}
