const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** For a time that is further away than this, a date is easier to read. */
const RELATIVE_MAX_MS = 30 * DAY_MS;

export const formatNumber = new Intl.NumberFormat().format;

/** `12K` for 12,000. */
export const formatCompact = new Intl.NumberFormat(undefined, { notation: 'compact' }).format;

export function formatExact(time: string): string {
  return EXACT.format(new Date(time));
}

/** Formats a date without a time, such as `2026-11-22`, which is the same day in every time zone. */
export function formatDay(date: string): string {
  return DATE.format(new Date(date));
}

/** Formats the day on which a time falls in the user's time zone. */
export const formatTime = DAY.format;

/** `5 minutes ago` or `in 5 minutes`. */
export function formatRelative(time: string): string {
  const distanceMs = new Date(time).getTime() - Date.now();
  const size = Math.abs(distanceMs);
  if (size < MINUTE_MS) return distanceMs > 0 ? 'in a moment' : 'just now';
  if (size < HOUR_MS) return RELATIVE.format(Math.round(distanceMs / MINUTE_MS), 'minute');
  if (size < DAY_MS) return RELATIVE.format(Math.round(distanceMs / HOUR_MS), 'hour');
  if (size < RELATIVE_MAX_MS) return RELATIVE.format(Math.round(distanceMs / DAY_MS), 'day');
  return DAY.format(new Date(time));
}

/** Shows cents only if the amount is not a whole number. */
export function formatPrice(amount: number, currency = 'USD'): string {
  const decimals = Number.isInteger(amount) ? { maximumFractionDigits: 0 } : {};
  return new Intl.NumberFormat(undefined, { style: 'currency', currency, ...decimals }).format(amount);
}

export const AREA_UNITS: Record<string, string> = { sqft: 'sq ft', sqm: 'm²', acres: 'acres' };

export function formatArea(area: number, units = 'sqft'): string {
  if (units === 'acres') return formatCount(area, 'acre');
  return `${formatNumber(area)} ${AREA_UNITS[units] ?? units}`;
}

/** `Coming soon` for `coming_soon`. */
export function formatChoice(value: string): string {
  const words = value.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

const BYTE_UNITS = ['GB', 'MB', 'kB'];

/** `56 bytes` or `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const index = [1e9, 1e6, 1e3].findIndex((size) => bytes >= size);
  if (index === -1) return `${bytes} bytes`;
  return `${formatNumber(Number((bytes / 1000 ** (3 - index)).toFixed(1)))} ${BYTE_UNITS[index]}`;
}

/** `0.84 ms`, `87 ms`, or `2.5 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs >= 1000) return `${(durationMs / 1000).toFixed(1)} s`;
  return `${durationMs < 10 ? Number(durationMs.toFixed(2)) : Math.round(durationMs)} ms`;
}
