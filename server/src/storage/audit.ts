import type { AuditAction, AuditEntry } from '../model/audit.ts';
import { type Executor, type Scans, statement } from './database.ts';
import { rowOf } from './functions.ts';
import type { Tables } from './schema.ts';

type AuditRow = Tables['audit_log'];

const COLUMNS = [
  'account_id',
  'id',
  'at',
  'actor_type',
  'actor_id',
  'actor_name',
  'actor_email',
  'action',
  'target_type',
  'target_id',
  'target_name',
  'address',
] as const;

const insert = statement<AuditRow>((query, parameter) =>
  query.insertInto('audit_log').values(rowOf(parameter, COLUMNS)),
);

/** Appends to the audit log. Its entries never change. */
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

const selectBefore = statement<{ accountId: string; before: string; limit: number }, AuditRow>((query, parameter) =>
  query
    .selectFrom('audit_log')
    .selectAll()
    .where('account_id', '=', parameter('accountId'))
    .where('id', '<', parameter('before'))
    .orderBy('id', 'desc')
    .limit(parameter('limit')),
);

/** The newest entries of the account's audit log that sort before an id, newest first. */
export async function findAuditEntries(
  executor: Executor,
  accountId: string,
  before: string,
  limit: number,
): Promise<AuditEntry[]> {
  const rows = await executor.execute(selectBefore, { accountId, before, limit });
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
