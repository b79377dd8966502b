import type { AuditAction, AuditEntry } from '../model/audit.ts';
import type { Executor, Scans } from './database.ts';
import { findSomeRows, insertRow, type RowOf } from './rows.ts';

const MEMBERS = [
  ...(['accountId', 'id', 'at', 'actorType', 'actorId', 'actorName', 'actorEmail'] as const),
  ...(['action', 'targetType', 'targetId', 'targetName', 'address'] as const),
] as const;

const insert = insertRow('audit_log', MEMBERS);

export async function insertAuditEntry(executor: Executor, entry: AuditEntry): Promise<void> {
  const { accountId, id, at, actor, action, target } = entry;
  await insert(executor, {
    accountId,
    id,
    at,
    actorType: actor.type,
    actorId: actor.id,
    actorName: actor.name,
    actorEmail: actor.email,
    action,
    targetType: target?.type ?? null,
    targetId: target?.id ?? null,
    targetName: target?.name ?? null,
    address: actor.address,
  });
}

const selectBefore = findSomeRows('audit_log', ['accountId', 'id <'], MEMBERS, 'id desc');

export async function findAuditEntries(
  executor: Executor,
  accountId: string,
  before: string,
  limit: number,
): Promise<AuditEntry[]> {
  return (await selectBefore(executor, accountId, before, limit)).map(toEntry);
}

function toEntry(row: RowOf<'audit_log'>): AuditEntry {
  const { accountId, action, at, address, targetType: type, targetId: id, targetName: name } = row;
  return {
    accountId,
    id: row.id,
    at,
    actor: { type: row.actorType, id: row.actorId, name: row.actorName, email: row.actorEmail, address },
    action,
    target: type === null || id === null || name === null ? null : { type, id, name },
  };
}

/** The names of an action's targets, by target id, in the entries whose ids are `since` or greater. */
export async function findTargetNames(
  scans: Scans,
  accountId: string,
  action: AuditAction,
  since: string,
): Promise<Map<string, string>> {
  const rows = await scans.query<{ id: string; name: string }>(accountId, (query) =>
    query
      .selectFrom('audit_log')
      .select(['target_id as id', 'target_name as name'])
      .where('account_id', '=', accountId)
      .where('id', '>=', since)
      .where('action', '=', action)
      .$narrowType<{ id: string; name: string }>(),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
