import { type Executor, statement } from './database.ts';
import { command, firstRow } from './functions.ts';

interface SetupLink {
  hash: string;
  /** UTC milliseconds. */
  expiresAt: number;
}

const insert = statement<SetupLink>((query, parameter) =>
  query.insertInto('setup_links').values({ id: 1, hash: parameter('hash'), expires_at: parameter('expiresAt') }),
);

/** Stores the setup link, which replaces the previous one. */
export async function putSetupLink(executor: Executor, link: SetupLink): Promise<void> {
  await removeSetupLink(executor);
  await executor.execute(insert, link);
}

export const removeSetupLink = command([], (query) => query.deleteFrom('setup_links'));

export const findSetupLink = firstRow([], (query) =>
  query.selectFrom('setup_links').select(['hash', 'expires_at as expiresAt']),
);
