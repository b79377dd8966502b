import { createId } from '../lib/ids.ts';
import type { AccountUser } from '../model/users.ts';
import type { Executor } from '../storage/database.ts';
import { actorOf, recordAudit } from './audit.ts';
import type { ImportReport } from './import-report.ts';

// What people do to listings in the dashboard stands in the audit log; what programs do stands in the events only.

type Change = 'created' | 'updated' | 'deleted' | 'unchanged';

/** Tells of a change of a listing, if it was made by hand; `doc` is the listing's JSON text. */
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

/** Tells of an import that somebody has sent. */
export async function auditImport(
  transaction: Executor,
  user: AccountUser | undefined,
  { created, updated, unchanged, failed }: ImportReport,
): Promise<void> {
  if (user === undefined || created + updated + unchanged + failed === 0) return;
  const name = `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`;
  const target = { type: 'import', id: createId('imp'), name } as const;
  await recordAudit(transaction, user.accountId, actorOf(user), 'import.finished', target);
}
