import { columnsOf } from './functions.ts';
import { findRow, type RowOf, updateRows } from './rows.ts';

const MEMBERS = ['listingsMax', 'bytesMax', 'ratePoints', 'rateSeconds', 'suspendedFor'] as const;

/** An account's limits as stored; null means no limit. */
export type StoredLimits = Pick<RowOf<'account_heads'>, (typeof MEMBERS)[number]>;

export const LIMIT_COLUMNS = columnsOf(MEMBERS);

export const findLimits = findRow('account_heads', ['accountId'], MEMBERS);

export const updateLimits = updateRows('account_heads', ['accountId'], MEMBERS);
