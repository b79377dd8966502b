import { type Executor, statement } from './database.ts';

interface SetupLink {
  hash: string;
  /** UTC milliseconds. */
  expiresAt: number;
}

const removeAny = statement<Record<never, never>>((query) => query.deleteFrom('setup_links'));

const insert = statement<SetupLink>((query, parameter) =>
  query.insertInto('setup_links').values({ id: 1, hash: parameter('hash'), expires_at: parameter('expiresAt') }),
);

/** Stores the one link there is: the one before it is worth nothing from now on. */
export async function putSetupLink(executor: Executor, link: SetupLink): Promise<void> {
  await executor.execute(removeAny, {});
  await executor.execute(insert, link);
}

export async function removeSetupLink(executor: Executor): Promise<void> {
  await executor.execute(removeAny, {});
}

const select = statement<Record<never, never>, SetupLink>((query) =>
  query.selectFrom('setup_links').select(['hash', 'expires_at as expiresAt']),
);

export async function findSetupLink(executor: Executor): Promise<SetupLink | undefined> {
  const [link] = await executor.execute(select, {});
  return link;
}
