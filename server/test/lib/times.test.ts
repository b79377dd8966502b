import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTime } from '../../src/lib/times.ts';

const MIDNIGHT = Date.UTC(2026, 0, 31);
const HOUR = 3_600_000;

const times: [text: string, timeMs: number, isExact?: boolean][] = [
  ['2026-01-31', MIDNIGHT],
  ['2026-01-31T00:00:00Z', MIDNIGHT],
  ['2026-01-31t00:00:00z', MIDNIGHT],
  ['2026-01-31T00:00Z', MIDNIGHT],
  ['2026-01-31T02:30:00+02:30', MIDNIGHT],
  ['2026-01-30T23:00:00-01:00', MIDNIGHT],
  ['2026-01-31T00:00:00.1Z', MIDNIGHT + 100],
  ['2026-01-31T00:00:00.123Z', MIDNIGHT + 123],
  ['2026-01-31T00:00:00.123000Z', MIDNIGHT + 123],
  ['2026-01-31T00:00:00.123456Z', MIDNIGHT + 123, false],
  ['2026-01-31T00:00:00.999999999+01:00', MIDNIGHT - HOUR + 999, false],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['1969-12-31T23:59:59.9999Z', -1, false],
];

describe('a time is parsed as in RFC 3339, and a date means the start of that day in UTC', () => {
  for (const [text, timeMs, isExact = true] of times) {
    test(text, () => assert.deepEqual(parseTime(text), { timeMs, isExact }));
  }
});

describe('invalid times are rejected', () => {
  for (const text of [
    ...['', '2026', '2026-1-31', '2026-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-31T'],
    ...['2026-01-31T00:00:00', '2026-01-31T25:00:00Z', '2026-01-31T00:60:00Z', '2026-01-31T00:00:60Z'],
    ...['2026-01-31T00:00:00.Z', '2026-01-31 00:00:00Z', '2026-01-31T00:00:00 02:00', '2026-01-31T00:00:00+0200'],
    ...['2026-01-31T00:00:00+99:00', '+002026-01-31', ' 2026-01-31', '2026-01-31Z', '２０２６-01-31'],
  ]) {
    test(JSON.stringify(text), () => assert.equal(parseTime(text), undefined));
  }
});
