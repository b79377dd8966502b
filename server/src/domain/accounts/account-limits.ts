import { NAME_LENGTH_MAX, parseName } from '../../model/accounts.ts';
import type { AuditAction } from '../../model/audit.ts';
import { AppError } from '../../model/errors.ts';
import { formatAllowance, OFF, type Quotas } from '../../model/quotas.ts';
import { findLimits, type StoredLimits, updateLimits } from '../../storage/account-limits.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { OPERATOR, recordAudit } from '../access/audit.ts';
import { getAccount } from './accounts.ts';

/** Changes the given quotas and leaves the others unchanged. @throws {AppError} as `getLimits` does */
export function changeQuotas(database: Database, id: string, change: Partial<Quotas>): Promise<Quotas> {
  return database.write(async (transaction) => {
    const current = await getLimits(transaction, id);
    const changed: Quotas = { ...toQuotas(current), ...change };
    const { listingsMax, bytesMax, rateLimit } = changed;
    const rate = { ratePoints: rateLimit?.points ?? null, rateSeconds: rateLimit?.seconds ?? null };
    const limits = { ...current, listingsMax, bytesMax, ...rate };
    await changeLimits(transaction, id, limits, 'account.updated', describe(changed));
    return changed;
  }, id);
}

/**
 * Locks out users and keys until the account is resumed.
 * @returns the reason as it is stored
 * @throws {AppError} `validation_failed`, or as `getLimits` does
 */
export function suspendAccount(database: Database, id: string, reason: string): Promise<string> {
  return database.write(async (transaction) => {
    const current = await getLimits(transaction, id);
    const suspendedFor = parseReason(reason);
    await changeLimits(transaction, id, { ...current, suspendedFor }, 'account.suspended', suspendedFor);
    return suspendedFor;
  }, id);
}

/** @throws {AppError} `conflict` for an account that is not suspended, or as `getLimits` does */
export function resumeAccount(database: Database, id: string): Promise<void> {
  return database.write(async (transaction) => {
    const current = await getLimits(transaction, id);
    if (current.suspendedFor === null) throw new AppError('conflict', `The account ${id} is not suspended.`);
    await changeLimits(transaction, id, { ...current, suspendedFor: null }, 'account.resumed');
  }, id);
}

/** @throws {AppError} `not_found`, or `conflict` for an account that is being deleted */
async function getLimits(transaction: Executor, id: string): Promise<StoredLimits> {
  await getAccount(transaction, id);
  const limits = await findLimits(transaction, id);
  if (limits !== undefined) return limits;
  throw new AppError('conflict', `The account ${id} is being deleted.`);
}

async function changeLimits(
  transaction: Executor,
  id: string,
  limits: StoredLimits,
  action: AuditAction,
  what?: string,
) {
  const { name } = await getAccount(transaction, id);
  await updateLimits(transaction, id, limits);
  const target = { type: 'account', id, name: what === undefined ? name : `${name}: ${what}` } as const;
  await recordAudit(transaction, id, OPERATOR, action, target);
}

export function toQuotas({ listingsMax, bytesMax, ratePoints, rateSeconds }: StoredLimits): Quotas {
  const rateLimit = ratePoints === null || rateSeconds === null ? null : { points: ratePoints, seconds: rateSeconds };
  return { listingsMax, bytesMax, rateLimit };
}

function describe({ listingsMax, bytesMax, rateLimit }: Quotas): string {
  const rate = rateLimit === null ? OFF : formatAllowance(rateLimit);
  return `listings ${listingsMax ?? OFF}, bytes ${bytesMax ?? OFF}, requests ${rate}`;
}

/** The reason is sent in a response header, which cannot contain control characters. */
function parseReason(text: string): string {
  try {
    return parseName(text);
  } catch (cause) {
    const message = `A reason must have 1 to ${NAME_LENGTH_MAX} characters and no control characters.`;
    throw new AppError('validation_failed', message, { cause });
  }
}
