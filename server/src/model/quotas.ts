import type { Allowance } from '../lib/limiter.ts';
import { AppError } from './errors.ts';

/** What the operator lets an account use; null where there is no limit of its own. */
export interface Quotas {
  listingsMax: number | null;
  /** UTF-8 bytes of its listings, and of the versions that its events keep for 30 days. */
  bytesMax: number | null;
  /** For each of its keys, in place of RATE_LIMIT. */
  rateLimit: Allowance | null;
}

export const OFF = 'off';

export function formatAllowance({ points, seconds }: Allowance): string {
  return `${points}/${seconds}s`;
}

/** @throws {AppError} `validation_failed` */
export function parseListingsMax(text: string): number | null {
  if (text === OFF) return null;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw invalid('--listings-max', 'a number such as 50000', text);
}

const BYTES = /^(\d{1,9})(B|KB|MB|GB|TB)$/i;
const BYTES_OF_UNIT: Record<string, number> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };
/** Numbers above are not told apart. */
const BYTES_MAX = Number.MAX_SAFE_INTEGER;

/** @throws {AppError} `validation_failed` */
export function parseBytesMax(text: string): number | null {
  if (text === OFF) return null;
  const [, count, unit = ''] = BYTES.exec(text) ?? [];
  const bytes = Number(count) * (BYTES_OF_UNIT[unit.toUpperCase()] ?? Number.NaN);
  if (bytes <= BYTES_MAX) return bytes;
  throw invalid('--bytes-max', 'a number with B, KB, MB, GB or TB, such as 500MB', text);
}

/** An option's value that is none. */
export function invalid(option: string, form: string, text: string): AppError {
  return new AppError('validation_failed', `${option} must be ${form}, or ${OFF}, not "${text}".`);
}
