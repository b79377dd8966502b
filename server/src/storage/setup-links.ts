import type { Executor } from './database.ts';
import { findRow, insertRow, removeRows } from './rows.ts';

const insert = insertRow('setup_links', ['id', 'hash', 'expiresAt']);

export async function putSetupLink(executor: Executor, link: { hash: string; expiresAt: number }): Promise<void> {
  await removeSetupLink(executor);
  await insert(executor, { id: 1, ...link });
}

export const removeSetupLink = removeRows('setup_links', []);

export const findSetupLink = findRow('setup_links', [], ['hash', 'expiresAt']);
