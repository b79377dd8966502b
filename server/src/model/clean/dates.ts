import { isDate } from '../../lib/times.ts';
import type { Cleaned } from './result.ts';

/** The order of month and day in numeric dates: 03/04/2026 is March 4 (`mdy`) or April 3 (`dmy`). */
export type DateOrder = 'mdy' | 'dmy';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH_NAMES = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september'].concat([
  ...['october', 'november', 'december', 'sept'],
]);

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/;
const DAY_MONTH = /^(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]+)\.?,?[ -](\d{4}|\d{2})$/i;
const MONTH_DAY = /^([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}|\d{2})$/i;
/** Times that can be removed without changing the date: any time without an offset, and midnight with one. */
const LOCAL_TIME = /[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AP]M)?$/i;
const MIDNIGHT = /[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** Reads dates such as `2026/3/4`, `4-Mar-2026`, and, if `dates` is set, `03/04/2026`. */
export function cleanDate(text: string, dates: DateOrder | undefined): Cleaned | undefined {
  const day = text.replace(LOCAL_TIME, '').replace(MIDNIGHT, '');
  const [, first, , second, last] = YEAR_LAST.exec(day) ?? [];
  if (first !== undefined && second !== undefined && last !== undefined) {
    if (last.length === 2) return shortYear(text);
    if (dates === undefined) return withoutOrder(text, first, second, last);
    return dates === 'mdy' ? toDate(last, first, second) : toDate(last, second, first);
  }
  const named = DAY_MONTH.exec(day) ?? swap(MONTH_DAY.exec(day));
  if (named !== null) return named[3]?.length === 2 ? shortYear(text) : toDate(named[3], monthOf(named[2]), named[1]);
  const [, year, , month, date] = YEAR_FIRST.exec(day) ?? [];
  if (year !== undefined) return toDate(year, month, date);
  const compact = COMPACT.exec(day);
  return compact === null ? undefined : toDate(compact[1], compact[2], compact[3]);
}

function swap(match: RegExpExecArray | null): (string | undefined)[] | null {
  return match === null ? null : [match[0], match[2], match[1], match[3]];
}

function monthOf(name = ''): string {
  const word = name.toLowerCase();
  if (!MONTH_NAMES.includes(word) && !MONTHS.includes(word)) return '';
  return String(MONTHS.indexOf(word.slice(0, 3)) + 1);
}

/** A calendar date; undefined if the day does not exist. */
function toDate(year = '', month = '', day = ''): Cleaned | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDate(text) ? { text } : undefined;
}

function shortYear(text: string): Cleaned {
  return { problem: `"${text}" must have a four-digit year.` };
}

function withoutOrder(text: string, first: string, second: string, year: string): Cleaned | undefined {
  if (Number(first) === Number(second)) return toDate(year, first, second);
  const days = [toDate(year, first, second), toDate(year, second, first)].flatMap((day) => {
    return day !== undefined && 'text' in day ? [day.text] : [];
  });
  if (days.length === 0) return undefined;
  return { problem: `"${text}" can mean ${days.join(' or ')}; set dates=mdy or dates=dmy.` };
}
