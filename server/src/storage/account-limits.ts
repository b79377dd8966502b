import { columnsOf } from './functions.ts';
import { findRow, updateRows } from './rows.ts';

/** An account's limits as stored; null means no limit. */
export interface StoredLimits {
  listingsMax: number | null;
  bytesMax: number | null;
  ratePoints: number | null;
  rateSeconds: number | null;
  suspendedFor: string | null;
}

const MEMBERS = ['listingsMax', 'bytesMax', 'ratePoints', 'rateSeconds', 'suspendedFor'] as const;

export const LIMIT_COLUMNS = columnsOf(MEMBERS);

export const findLimits = findRow('account_heads', ['accountId'], MEMBERS);

export const updateLimits = updateRows('account_heads', ['accountId'], MEMBERS);
