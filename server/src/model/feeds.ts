import { hash } from 'node:crypto';

/** What a run does with listings of the feed that are not in the file. */
export const MISSING_MODES = ['keep', 'withdraw', 'delete'] as const;
export type MissingMode = (typeof MISSING_MODES)[number];

export const FEED_OUTCOMES = ['running', 'succeeded', 'stopped_by_guard', 'interrupted', 'failed'] as const;
export type FeedOutcome = (typeof FEED_OUTCOMES)[number];

/** A column of a feed's file, with the field that it had, as in `map`: '' if it was skipped. */
export type FeedColumn = [name: string, meant: string];

export interface FeedSettings {
  /** Column → field; empty to skip the column. */
  map: Record<string, string>;
  /** `FIELD:WORD` → the value that the word means in the field; empty for no value. */
  values: Record<string, string>;
  /** Field → its value in rows that have none. */
  defaults: Record<string, string>;
  missing: MissingMode;
  /** Limits of the guard: a percentage such as `20%`, or a number. */
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

/** Since when no run of a feed has succeeded in the expected time (UTC milliseconds); null if the feed is not late. */
export function lateSince(
  { expectedEveryHours }: Pick<FeedSettings, 'expectedEveryHours'>,
  { lastSuccessAt, createdAt }: { lastSuccessAt: number | null; createdAt: number },
  now: number,
): number | null {
  if (expectedEveryHours === null) return null;
  const dueAt = (lastSuccessAt ?? createdAt) + expectedEveryHours * HOUR_MS;
  return dueAt < now ? dueAt : null;
}

/** What a run has done, or would do. */
export interface FeedCounts {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  missing: number;
  withdrawn: number;
  deleted: number;
  failed: number;
  cleaned: number;
}

/** Rows of a file that can be known before it is read. Their hashes take 16 MiB. */
export const KNOWN_ROWS_MAX = 1_000_000;

/** The characters of a row's hash, 96 bits. */
const HASH_LENGTH = 16;

/** Identifies a row of a file, or its content. */
export function hashRow(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, HASH_LENGTH);
}

export function emptyCounts(): FeedCounts {
  return { rows: 0, created: 0, updated: 0, unchanged: 0, missing: 0, withdrawn: 0, deleted: 0, failed: 0, cleaned: 0 };
}

export const LIMIT_PATTERN = /^(?:(?:100|\d{1,2})(?:\.\d{1,2})?%|\d{1,9})$/;

/** Returns the number that a limit such as `20%` or `200` allows out of `total`; undefined for another text. */
export function parseLimit(text: string): ((total: number) => number) | undefined {
  if (!LIMIT_PATTERN.test(text)) return undefined;
  const number = Number.parseFloat(text);
  return text.endsWith('%') ? (total) => Math.floor((total * Math.min(number, 100)) / 100) : () => number;
}
