import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createId, firstIdAt, randomWord } from '../../src/lib/ids.ts';

const FORMAT = /^lst_[0-9a-hjkmnp-tv-z]{26}$/;

function assertIncreasing(ids: string[]): void {
  for (let index = 1; index < ids.length; index += 1) {
    const [before = '', after = ''] = [ids[index - 1], ids[index]];
    assert.ok(before < after, `${before} comes before ${after}`);
  }
}

test('100,000 IDs are strictly increasing and well-formed', () => {
  const ids = Array.from({ length: 100_000 }, () => createId('lst'));
  assertIncreasing(ids);
  for (const id of ids) assert.match(id, FORMAT);
});

test('IDs are strictly increasing even if the clock stops, jumps ahead, or is set back', (t) => {
  const startTimeMs = Date.now();
  const clock = t.mock.method(Date, 'now', () => startTimeMs);
  const ids: string[] = [];
  const create = (count: number) => {
    for (let index = 0; index < count; index += 1) ids.push(createId('lst'));
  };
  create(25_000);
  for (const shiftMs of [-1, -3_600_000, 60_000, 59_999]) {
    clock.mock.mockImplementation(() => startTimeMs + shiftMs);
    create(20_000);
  }
  assertIncreasing(ids);
  for (const id of ids) assert.match(id, FORMAT);
});

test('IDs of different kinds do not affect each other', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => createId(index % 2 === 0 ? 'acc' : 'key'));
  assertIncreasing(ids.filter((id) => id.startsWith('acc_')));
  assertIncreasing(ids.filter((id) => id.startsWith('key_')));
  assert.equal(new Set(ids.map((id) => id.slice(4))).size, 1_000);
});

test('an ID is greater than the one that it must follow, even if that is in the future', () => {
  const far = (end: string) => `lst_7zzzzzzzzz${end.padStart(16, '0')}`;
  for (const [after, expected] of [
    [far('0'), far('1')],
    [far('9'), far('a')],
    [far('az'), far('b0')],
    [far('zzz'), far('1000')],
  ] as const) {
    assert.equal(createId('lst', after), expected);
  }
  const last = createId('lst');
  assertIncreasing([last, createId('lst', last), createId('lst')]);
});

test('the first ID of a time before 1970 precedes all IDs', () => {
  for (const timeMs of [-1, -32, -86_400_000, -Number.MAX_SAFE_INTEGER])
    assert.equal(firstIdAt('lst', timeMs), 'lst_0000000000', `${timeMs}`);
});

test('a random word has the requested length', () => {
  assert.match(randomWord(8), /^[0-9a-hjkmnp-tv-z]{8}$/);
  assert.notEqual(randomWord(20), randomWord(20));
});
