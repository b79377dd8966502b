import type { AuditEntry } from '../model/audit.ts';
import { type Session, statement } from './database.ts';
import type { Tables } from './schema.ts';

type AuditRow = Tables['audit_log'];

const insert = statement<AuditRow>((query, parameter) =>
  query.insertInto('audit_log').values({
    account_id: parameter('account_id'),
    id: parameter('id'),
    at: parameter('at'),
    actor_type: parameter('actor_type'),
    actor_id: parameter('actor_id'),
    actor_name: parameter('actor_name'),
    action: parameter('action'),
    target_type: parameter('target_type'),
    target_id: parameter('target_id'),
    target_name: parameter('target_name'),
    address: parameter('address'),
  }),
);

/** Appends to the audit log: what it says is never changed. */
export async function insertAuditEntry(session: Session, entry: AuditEntry): Promise<void> {
  const { accountId, id, at, actor, action, target } = entry;
  await session.execute(insert, {
    account_id: accountId,
    id,
    at,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    action,
    target_type: target?.type ?? null,
    target_id: target?.id ?? null,
    target_name: target?.name ?? null,
    address: actor.address,
  });
}
