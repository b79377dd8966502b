import { firstIdAt } from '../../lib/ids.ts';
import { ownTurn } from '../../lib/turns.ts';
import type { ActorType, AuditAction, AuditEntry } from '../../model/audit.ts';
import { findAuditEntries } from '../../storage/audit.ts';
import type { Executor } from '../../storage/database.ts';
import { AUDIT_ID_PREFIX } from './audit.ts';

export interface ActivityFilter {
  actions?: readonly AuditAction[] | undefined;
  actorTypes?: readonly ActorType[] | undefined;
  actorId?: string | undefined;
  targetId?: string | undefined;
  /** The start (inclusive) and the end (exclusive), in UTC milliseconds. */
  from?: number | undefined;
  until?: number | undefined;
}

export interface ActivityPage {
  entries: AuditEntry[];
  /** The id after which the next page begins; undefined if there are no more entries. */
  next: string | undefined;
}

/** Entries per read, except for the first read, which reads one entry more than the page's limit. */
const READ_LENGTH = 1000;
/** Maximum number of reads per page. Together, they examine at most about 6,000 entries. */
const READS_MAX = 6;
const LAST_ID = '~';

/**
 * Returns the account's audit entries that match `filter`, newest first, starting after the entry with the id `after`.
 * A page can be short or empty even if more entries match, because each call examines a bounded number of entries.
 */
export async function findActivity(
  executor: Executor,
  accountId: string,
  filter: ActivityFilter,
  { after = LAST_ID, limit }: { after: string | undefined; limit: number },
): Promise<ActivityPage> {
  const since = firstEntryAt(filter.from ?? 0);
  const end = filter.until === undefined ? LAST_ID : firstEntryAt(filter.until);
  let last = after < end ? after : end;
  const entries: AuditEntry[] = [];
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    await ownTurn(accountId);
    const length = reads === 0 ? limit + 1 : READ_LENGTH;
    const read = await findAuditEntries(executor, accountId, last, length);
    entries.push(...read.filter((entry) => matches(entry, filter)));
    const lastShown = entries[limit - 1];
    if (entries.length > limit && lastShown !== undefined)
      return { entries: entries.slice(0, limit), next: lastShown.id };
    last = read.at(-1)?.id ?? last;
    if (read.length < length || last < since) return { entries, next: undefined };
  }
  return { entries, next: last };
}

function firstEntryAt(timeMs: number): string {
  return firstIdAt(AUDIT_ID_PREFIX, Math.max(0, timeMs));
}

function matches(
  { action, actor, target, at }: AuditEntry,
  { actions, actorTypes, actorId, targetId, from, until }: ActivityFilter,
): boolean {
  return (
    (actions?.includes(action) ?? true) &&
    (actorTypes?.includes(actor.type) ?? true) &&
    (actorId === undefined || actor.id === actorId) &&
    (targetId === undefined || target?.id === targetId) &&
    (from === undefined || at >= from) &&
    (until === undefined || at < until)
  );
}
