import { hash } from 'node:crypto';

/** What a run does with the feed's listings that are not in the file. */
export const MISSING_MODES = ['keep', 'withdraw', 'delete'] as const;
export type MissingMode = (typeof MISSING_MODES)[number];

export const FEED_OUTCOMES = ['running', 'succeeded', 'stopped_by_guard', 'interrupted', 'failed'] as const;
export type FeedOutcome = (typeof FEED_OUTCOMES)[number];

/** A column of a feed's file, and the field that it was mapped to; an empty string if the column was skipped. */
export type FeedColumn = [name: string, meant: string];

export interface FeedSettings {
  /** The fields of columns, by column name; an empty string skips the column. */
  map: Record<string, string>;
  /** The value that a word stands for in a field, by `FIELD:WORD`; an empty string means no value. */
  values: Record<string, string>;
  /** The value of a field in rows that do not have one, by field. */
  defaults: Record<string, string>;
  missing: MissingMode;
  /** The guard's limits, each a percentage such as `20%` or a number. */
  missingMax: string;
  failedMax: string;
  clean: boolean;
  dates: 'mdy' | 'dmy' | null;
  decimal: 'comma' | 'point' | null;
  ignoreUnknown: boolean;
  expectedEveryHours: number | null;
}

export const DEFAULT_SETTINGS: FeedSettings = {
  map: {},
  values: {},
  defaults: {},
  missing: 'keep',
  missingMax: '20%',
  failedMax: '5%',
  clean: false,
  dates: null,
  decimal: null,
  ignoreUnknown: false,
  expectedEveryHours: null,
};

const HOUR_MS = 3_600_000;

/** When a feed became late because no run succeeded in time (UTC milliseconds); null if it is not late. */
export function lateSince(
  { expectedEveryHours }: Pick<FeedSettings, 'expectedEveryHours'>,
  { lastSuccessAt, createdAt }: { lastSuccessAt: number | null; createdAt: number },
  now: number,
): number | null {
  if (expectedEveryHours === null) return null;
  const dueAt = (lastSuccessAt ?? createdAt) + expectedEveryHours * HOUR_MS;
  return dueAt < now ? dueAt : null;
}

/** The numbers of rows and listings by what a run has done, or would do, with them. `cleaned` counts values instead. */
export type FeedCounts = ReturnType<typeof emptyCounts>;

/** Maximum number of known row hashes with which a file is compared. They take 16 MiB of memory. */
export const KNOWN_ROWS_MAX = 1_000_000;

/** The number of characters in a row's hash, which has 96 bits. */
const HASH_LENGTH = 16;

export function hashRow(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, HASH_LENGTH);
}

export function emptyCounts() {
  return { rows: 0, created: 0, updated: 0, unchanged: 0, missing: 0, withdrawn: 0, deleted: 0, failed: 0, cleaned: 0 };
}

export const LIMIT_PATTERN = /^(?:(?:100|\d{1,2})(?:\.\d{1,2})?%|\d{1,9})$/;

/** Returns how many of `total` a limit such as `20%` or `200` allows; undefined if `text` is not a limit. */
export function parseLimit(text: string): ((total: number) => number) | undefined {
  if (!LIMIT_PATTERN.test(text)) return undefined;
  const number = Number.parseFloat(text);
  if (!text.endsWith('%')) return () => number;
  // In hundredths of a percent, so that 4.6% of 1,500 is 69, not 68.99….
  const hundredths = Math.round(Math.min(number, 100) * 100);
  return (total) => Math.floor((total * hundredths) / 10_000);
}
