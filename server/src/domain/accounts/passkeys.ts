import { AppError } from '../../model/errors.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { findPasskeyUser, listPasskeys, removePasskey, setPasskeyUsed } from '../../storage/passkeys.ts';
import { recordEverywhere, recordSecurityChange, requireSession, type SessionActor } from './profile.ts';

export const PASSKEYS_MAX = 20;

/** @throws {AppError} `conflict` if `added` more passkeys would exceed the maximum */
export async function requirePasskeyRoom(executor: Executor, userId: string, added: number): Promise<void> {
  if ((await listPasskeys(executor, userId)).length + added <= PASSKEYS_MAX) return;
  throw new AppError('conflict', `You have ${PASSKEYS_MAX} passkeys, which is the maximum; delete one first.`);
}

/** Runs in better-auth's transaction. @throws {AppError} `conflict` for too many passkeys, or `unauthorized` */
export async function afterPasskeyAdded(transaction: Executor, sessionActor: SessionActor): Promise<void> {
  await requirePasskeyRoom(transaction, sessionActor.userId, 0);
  await recordSecurityChange(transaction, sessionActor, 'administrator.passkey_added');
}

/** @throws {AppError} `not_found` if the user has no such passkey, or `unauthorized` */
export async function deletePasskey(database: Database, sessionActor: SessionActor, id: string): Promise<void> {
  await database.write(async (transaction) => {
    await requireSession(transaction, sessionActor);
    const removed = await removePasskey(transaction, sessionActor.userId, id);
    if (removed === 0) throw new AppError('not_found', 'There is no such passkey; it may have been deleted.');
    await recordEverywhere(transaction, sessionActor, 'administrator.passkey_removed');
  });
}

/** Runs in better-auth's transaction. @throws {AppError} `unauthorized` if the passkey was deleted concurrently */
export async function afterPasskeyUse(transaction: Executor, id: string): Promise<void> {
  const used = await setPasskeyUsed(transaction, id, { lastUsedAt: new Date().toISOString() });
  if (used === 0) throw unknownPasskey();
}

/** Runs in better-auth's transaction. @throws {AppError} `unauthorized` if the passkey was deleted concurrently */
export async function requirePasskey(transaction: Executor, id: string): Promise<void> {
  if ((await findPasskeyUser(transaction, id)) === undefined) throw unknownPasskey();
}

export function unknownPasskey(): AppError {
  return new AppError('unauthorized', 'This passkey is not registered here; sign in with your password.');
}
