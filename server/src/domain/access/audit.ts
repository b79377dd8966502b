import { createId, timeOfId } from '../../lib/ids.ts';
import type { AuditAction, AuditActor, AuditTarget } from '../../model/audit.ts';
import type { AccountUser } from '../../model/users.ts';
import { insertAuditEntry } from '../../storage/audit.ts';
import type { Executor } from '../../storage/database.ts';

export const AUDIT_ID_PREFIX = 'aud';

export const OPERATOR: AuditActor = { type: 'operator', id: null, name: 'Operator', email: null, address: null };

/** The actor of changes that the service makes on its own. */
export const SERVICE: AuditActor = { type: 'service', id: null, name: 'Service', email: null, address: null };

interface ActingUser {
  userId: string;
  userName: string;
  email: string;
  address: string | null;
}

export function actorOf({ userId, userName, email, address }: ActingUser): AuditActor {
  return { type: 'administrator', id: userId, name: userName, email, address };
}

export async function recordAudit(
  transaction: Executor,
  accountId: string,
  actor: AuditActor,
  action: AuditAction,
  target: AuditTarget | null = null,
): Promise<void> {
  const id = createId(AUDIT_ID_PREFIX);
  // Ids always increase, so if the clock was set back, the id's time can be in the future.
  const at = Math.min(timeOfId(id), Date.now());
  await insertAuditEntry(transaction, { accountId, id, at, actor, action, target });
}

// Changes to listings are in the audit log only if a user made them; API keys' changes are only in histories.

type Change = 'created' | 'updated' | 'deleted' | 'unchanged';

/** Records a user's change to a listing; `doc` is the listing's JSON string. */
export async function auditListing(
  transaction: Executor,
  user: AccountUser | undefined,
  { type, id, doc }: { type: Change; id: string; doc: string },
): Promise<void> {
  if (user === undefined || type === 'unchanged') return;
  const { address } = JSON.parse(doc);
  const target = { type: 'listing', id, name: address } as const;
  await recordAudit(transaction, user.accountId, actorOf(user), `listing.${type}`, target);
}

export async function auditImport(
  transaction: Executor,
  user: AccountUser | undefined,
  { created, updated, unchanged, failed }: Record<'created' | 'updated' | 'unchanged' | 'failed', number>,
): Promise<void> {
  if (user === undefined || created + updated + unchanged + failed === 0) return;
  const name = `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`;
  const target = { type: 'import', id: createId('imp'), name } as const;
  await recordAudit(transaction, user.accountId, actorOf(user), 'import.finished', target);
}

/** Records a user's change to a feed, or the end of a run that a user began. */
export async function auditFeed(
  transaction: Executor,
  user: AccountUser | undefined,
  action: `feed.${string}` & AuditAction,
  { name, words }: { name: string; words?: string },
): Promise<void> {
  if (user === undefined) return;
  const target = { type: 'feed', id: name, name: words === undefined ? name : `${name}: ${words}` } as const;
  await recordAudit(transaction, user.accountId, actorOf(user), action, target);
}
