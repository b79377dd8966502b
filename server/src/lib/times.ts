export const DAY_MS = 86_400_000;
/** The last time that RFC 3339 can represent. */
export const TIME_MAX_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** The UTC day, counted from 1970. */
export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}

/** Formats UTC milliseconds as RFC 3339; null stays null. */
export function formatTime(timeMs: number): string;
export function formatTime(timeMs: number | null): string | null;
export function formatTime(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

/** An RFC 3339 time, whose seconds can be omitted, or only a date. */
const TIME = /^(\d{4}-\d{2}-\d{2})(?:T(?:[01]\d|2[0-3]):\d{2}(?::\d{2}(?:\.\d{1,3}(\d*))?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

export interface ParsedTime {
  /** UTC milliseconds, rounded down. */
  timeMs: number;
  /** Whether the given time is a whole number of milliseconds. */
  isExact: boolean;
}

/** Whether a string is a date that exists, such as `2026-02-28`. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(text) !== undefined;
}

/** Parses an RFC 3339 time, or a date, which stands for midnight UTC. */
export function parseTime(text: string): ParsedTime | undefined {
  const [, date = '', rest = ''] = TIME.exec(text) ?? [];
  const timeMs = date === '' ? Number.NaN : Date.parse(text.toUpperCase());
  // `Date.parse` reads February 30 as March 2.
  const isDay = new Date(date).getUTCDate() === Number(date.slice(8));
  return Number.isNaN(timeMs) || !isDay ? undefined : { timeMs, isExact: /^0*$/.test(rest) };
}
