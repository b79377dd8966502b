import type { Overview } from '../../api/admin';

type Usage = Overview['usage'];
export type Measure = 'requests' | 'errors';

/** Few colors are distinguishable in both themes, so the keys without a color of their own share one. */
export const SERIES_COLORS = ['#1c7d57', '#4a90d9', '#d9a514', '#8a6fd1', '#d9682e'];
export const OTHERS_COLOR = '#8b95a1';
const HOUR_MS = 3_600_000;
const HOURS = 24;
const OTHERS = 'others';

/** The totals of the keys that sent requests, in descending order of their requests. */
export function totalsByKey({ keys, hours }: Usage) {
  const totals = keys.map((key) => {
    const own = hours.filter(({ keyId }) => keyId === key.id);
    return {
      ...key,
      requests: own.reduce((sum, { requests }) => sum + requests, 0),
      errors: own.reduce((sum, { errors }) => sum + errors, 0),
    };
  });
  return totals.filter(({ requests }) => requests > 0).sort((a, b) => b.requests - a.requests);
}

/** One row per hour, including hours without requests. */
export function toChart(usage: Usage, measure: Measure, nowMs = Date.now()) {
  const totals = totalsByKey(usage);
  const shown = totals.slice(0, SERIES_COLORS.length);
  const series = shown.map(({ id, name }) => ({ name: id, label: name }));
  if (totals.length > shown.length) series.push({ name: OTHERS, label: `${totals.length - shown.length} others` });
  const shownIds = new Set(shown.map(({ id }) => id));
  const counts = [...countByHour(usage, measure, nowMs)];

  const rows = Array.from({ length: HOURS }, (_, index) => {
    const row: Record<string, string | number> = { hour: formatHour(firstHour(nowMs) + index) };
    for (const [keyId, own] of counts) {
      const name = shownIds.has(keyId) ? keyId : OTHERS;
      row[name] = Number(row[name] ?? 0) + (own[index] ?? 0);
    }
    return row;
  });
  return { rows, series };
}

/** For each key, the number of requests or errors in each of the last 24 hours. */
export function countByHour({ hours }: Usage, measure: Measure, nowMs = Date.now()): Map<string, number[]> {
  const counts = new Map<string, number[]>();
  for (const { hour, keyId, [measure]: count } of hours) {
    const own = counts.get(keyId) ?? Array.from({ length: HOURS }, () => 0);
    own[new Date(hour).getTime() / HOUR_MS - firstHour(nowMs)] = count;
    counts.set(keyId, own);
  }
  return counts;
}

/** The first of the last 24 hours, as a number of hours since 1970. */
function firstHour(nowMs: number): number {
  return Math.floor(nowMs / HOUR_MS) - HOURS + 1;
}

function formatHour(hour: number): string {
  return new Date(hour * HOUR_MS).toLocaleTimeString(undefined, { hour: 'numeric' });
}
