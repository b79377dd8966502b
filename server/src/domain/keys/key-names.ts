import { firstIdAt } from '../../lib/ids.ts';
import { listApiKeys } from '../../storage/api-keys.ts';
import { findTargetNames } from '../../storage/audit.ts';
import type { Database } from '../../storage/database.ts';
import { AUDIT_ID_PREFIX } from '../access/audit.ts';

/** A key that was used and may have been deleted since. */
export interface UsedKey {
  id: string;
  name: string;
  isDeleted: boolean;
}

/** Finds the names of keys used at or after `since` (UTC milliseconds); the audit log has those of deleted keys. */
export async function nameKeys(
  database: Database,
  accountId: string,
  ids: ReadonlySet<string>,
  since: number,
): Promise<UsedKey[]> {
  const keys = await listApiKeys(database, accountId);
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const isComplete = ids.values().every((id) => names.has(id));
  const first = firstIdAt(AUDIT_ID_PREFIX, since);
  const former = isComplete ? new Map() : await findTargetNames(database.scans, accountId, 'api_key.deleted', first);
  return Array.from(ids, (id) => ({ id, name: names.get(id) ?? former.get(id) ?? id, isDeleted: !names.has(id) }));
}
