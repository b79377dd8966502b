import type { Config } from '../../config.ts';
import { AppError } from '../../model/errors.ts';

/** What a check has found. A message about a problem says what to do. */
export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'failed';
  message: string;
}

export type Check = (config: Config) => Finding[] | Promise<Finding[]>;

export function findingsOf(check: string) {
  const create = (status: Finding['status']) => (message: string) => ({ check, status, message });
  return { ok: create('ok'), warning: create('warning'), failed: create('failed') };
}

export function messageOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  const { cause, code, message } = Object(error);
  if (cause !== undefined) return messageOf(cause);
  return String(message || code || error);
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

export function formatBytes(bytes: number): string {
  const power = Math.min(Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)), UNITS.length - 1);
  return `${Math.round((bytes / 1_000 ** power) * 10) / 10} ${UNITS[power]}`;
}

const DURATIONS = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
] as const;

export function formatDuration(ms: number): string {
  const [unitMs, unit] = DURATIONS.find(([each]) => ms >= 2 * each) ?? [1_000, 'seconds'];
  const count = Math.floor(ms / unitMs);
  return `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
}
