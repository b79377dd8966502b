import type { AuditAction, AuditEntry } from '../model/audit.ts';
import { type Executor, type Scans, statement } from './database.ts';
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
    actor_email: parameter('actor_email'),
    action: parameter('action'),
    target_type: parameter('target_type'),
    target_id: parameter('target_id'),
    target_name: parameter('target_name'),
    address: parameter('address'),
  }),
);

/** Appends to the audit log: what it says is never changed. */
export async function insertAuditEntry(executor: Executor, entry: AuditEntry): Promise<void> {
  const { accountId, id, at, actor, action, target } = entry;
  await executor.execute(insert, {
    account_id: accountId,
    id,
    at,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    actor_email: actor.email,
    action,
    target_type: target?.type ?? null,
    target_id: target?.id ?? null,
    target_name: target?.name ?? null,
    address: actor.address,
  });
}

const LAST_ID = '~';

const selectBefore = statement<{ accountId: string; before: string; limit: number }, AuditRow>((query, parameter) =>
  query
    .selectFrom('audit_log')
    .selectAll()
    .where('account_id', '=', parameter('accountId'))
    .where('id', '<', parameter('before'))
    .orderBy('id', 'desc')
    .limit(parameter('limit')),
);

/** What the account's audit log says, newest first: what comes after this entry, or the newest. */
export async function findAuditEntries(
  executor: Executor,
  accountId: string,
  before: string | undefined,
  limit: number,
): Promise<AuditEntry[]> {
  const rows = await executor.execute(selectBefore, { accountId, before: before ?? LAST_ID, limit });
  return rows.map(toEntry);
}

function toEntry(row: AuditRow): AuditEntry {
  const { target_type: type, target_id: id, target_name: name } = row;
  return {
    accountId: row.account_id,
    id: row.id,
    at: row.at,
    actor: {
      type: row.actor_type,
      id: row.actor_id,
      name: row.actor_name,
      email: row.actor_email,
      address: row.address,
    },
    action: row.action,
    target: type === null || id === null || name === null ? null : { type, id, name },
  };
}

/** What the things were called to which something was done since an entry: id → name. */
export async function findTargetNames(
  scans: Scans,
  accountId: string,
  action: AuditAction,
  since: string,
): Promise<Map<string, string>> {
  const { rows } = await scans.query<{ id: string; name: string }>(accountId, (query) =>
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
