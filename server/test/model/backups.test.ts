import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  backupNameAt,
  findExpiredBackups,
  lastDueAt,
  parseKeep,
  parseSchedule,
  timeOfBackup,
} from '../../src/model/backups.ts';

const at = (text: string) => new Date(text).getTime();
const dueAt = (schedule: string, now: string) => {
  const parsed = parseSchedule(schedule);
  assert.ok(parsed);
  return lastDueAt(parsed, at(now));
};

test('a backup was last due at the latest time in its schedule, in local time', () => {
  // 2026-11-24 is a Tuesday.
  const cases: [string, string, string][] = [
    ['hourly', '2026-11-24T02:59:59', '2026-11-24T02:00'],
    ['daily 02:30', '2026-11-24T02:29:59', '2026-11-23T02:30'],
    ['daily 02:30', '2026-11-24T02:30:00', '2026-11-24T02:30'],
    ['daily 02:30', '2026-11-01T00:00:00', '2026-10-31T02:30'],
    ['weekly tuesday 02:30', '2026-11-24T02:29:59', '2026-11-17T02:30'],
    ['weekly tuesday 02:30', '2026-11-24T02:30:00', '2026-11-24T02:30'],
    ['weekly wednesday 02:30', '2026-11-24T12:00:00', '2026-11-18T02:30'],
    ['weekly sunday 23:59', '2026-11-24T12:00:00', '2026-11-22T23:59'],
  ];
  for (const [schedule, now, due] of cases) assert.equal(dueAt(schedule, now), at(due), `${schedule} at ${now}`);
});

test('the newest backup of each period is kept, for as many periods as have one', () => {
  const keep = parseKeep('2 daily, 2 weekly');
  assert.ok(keep);
  const times = [
    '2026-11-24T12:00', // newest of the newest day and week
    '2026-11-24T02:30',
    '2026-11-23T02:30', // newest of its day
    '2026-11-22T23:30', // newest of the week before
    '2026-11-22T02:30',
    '2026-11-15T02:30',
  ].map(at);
  const expired = findExpiredBackups(times, keep);
  assert.deepEqual(new Set(expired), new Set([times[1], times[4], times[5]]));
  // A backup in the far future, by a clock that was ahead, does not make the others expire.
  const [wrong = 0] = ['2031-01-01T00:00'].map(at);
  assert.ok(!findExpiredBackups([...times, wrong], keep).includes(times[0] ?? 0));
  assert.deepEqual(findExpiredBackups(times.slice(0, 1), keep), []);
  assert.deepEqual(findExpiredBackups([], keep), []);
});

test('retention recognizes scheduled backups by their names, and ignores other files', () => {
  const timeMs = at('2026-11-24T02:30:00Z');
  assert.equal(backupNameAt(timeMs), 'listings-20261124T023000Z.db');
  assert.equal(timeOfBackup(backupNameAt(timeMs)), timeMs);
  for (const name of ['backup.db', 'listings.db', 'listings-20261124T023000Z.db.sha256', 'listings-20261124.db'])
    assert.equal(timeOfBackup(name), undefined, name);
});
