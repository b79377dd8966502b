import { createId } from '../lib/ids.ts';
import type { AccountUser } from '../model/users.ts';
import type { Session } from '../storage/database.ts';
import { actorOf, recordAudit } from './audit.ts';
import type { ImportReport } from './import-report.ts';

// What people do to listings in the dashboard stands in the audit log; what programs do stands in the events only.

type Change = 'created' | 'updated' | 'deleted' | 'unchanged';

/** Tells of a change of a listing, if it was made by hand; `doc` is the listing's JSON text. */
export async function auditListing(
  session: Session,
  person: AccountUser | undefined,
  { type, id, doc }: { type: Change; id: string; doc: string },
): Promise<void> {
  if (person === undefined || type === 'unchanged') return;
  const { address } = JSON.parse(doc);
  const target = { type: 'listing', id, name: address } as const;
  await recordAudit(session, person.accountId, actorOf(person), `listing.${type}`, target);
}

/** Tells of an import that somebody has sent. */
export async function auditImport(
  session: Session,
  person: AccountUser | undefined,
  { created, updated, unchanged, failed }: ImportReport,
): Promise<void> {
  if (person === undefined || created + updated + unchanged + failed === 0) return;
  const name = `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`;
  const target = { type: 'import', id: createId('imp'), name } as const;
  await recordAudit(session, person.accountId, actorOf(person), 'import.finished', target);
}
