import { createId } from '../lib/ids.ts';
import type { AuditAction, AuditActor, AuditTarget } from '../model/audit.ts';
import { insertAuditEntry } from '../storage/audit.ts';
import type { Executor } from '../storage/database.ts';

export const AUDIT_ID_PREFIX = 'aud';

/** Whoever has the command line. */
export const OPERATOR: AuditActor = { type: 'operator', id: null, name: 'Operator', email: null, address: null };

interface Actor {
  userId: string;
  userName: string;
  email: string;
  address: string | null;
}

/** A person in the dashboard as the one who did something. */
export function actorOf({ userId, userName, email, address }: Actor): AuditActor {
  return { type: 'administrator', id: userId, name: userName, email, address };
}

/** Writes down who did what, in the transaction in which it is done. */
export async function recordAudit(
  transaction: Executor,
  accountId: string,
  actor: AuditActor,
  action: AuditAction,
  target: AuditTarget | null = null,
): Promise<void> {
  await insertAuditEntry(transaction, {
    accountId,
    id: createId(AUDIT_ID_PREFIX),
    at: Date.now(),
    actor,
    action,
    target,
  });
}
