import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generator } from '../../../testkit/src/random-json.ts';
import { codePoints, hasTooManyMarks, MARKS_MAX, toNfc, toNfcWithin } from '../../src/lib/nfc.ts';

/** Letters, composing and other marks, Hangul, lone surrogates, and supplementary characters. */
const CHARACTERS = [
  ...['a', 'e', 'u', ' ', '漢', '\u0301', '\u0316', '\u0323', '\u0302', '\u0308', '\u0304', '\u0344', '\u0f71'],
  ...['\u1112', '\u1161', '\u11ab', '\u0958', '\u1f82', '\u03b1', '\u0345', '\u0313', '\u0300', '\u212b'],
  ...['\u{1d15e}', '\u{1d167}', '\u{11099}', '\u{110ba}', '\u{e0101}', '\ud800', '\udc00'],
];

function* randomTexts(count: number): Generator<string> {
  const random = generator(count);
  const upTo = (end: number) => Math.floor(random() * end);
  const pick = () => CHARACTERS[upTo(CHARACTERS.length)] ?? '';
  for (let index = 0; index < count; index += 1) {
    // A small alphabet makes long runs of marks.
    const some = Array.from({ length: 1 + upTo(6) }, pick);
    yield Array.from({ length: upTo(400) }, () => some[upTo(some.length)]).join('');
  }
}

test('a string within the limit is normalized completely, and a longer one stays too long', () => {
  let tooLong = 0;
  for (const text of randomTexts(10_000)) {
    const whole = toNfc(text);
    for (const lengthMax of [1, 10, 50, 200]) {
      const within = toNfcWithin(text, lengthMax);
      if (codePoints(whole) <= lengthMax) assert.equal(within, whole);
      else assert.ok(codePoints(within) > lengthMax, JSON.stringify(text));
      if (codePoints(whole) > lengthMax) tooLong += 1;
    }
  }
  assert.ok(tooLong > 10_000 && tooLong < 35_000, `${tooLong} strings were too long`);
});

test('too many marks in a row are found anywhere in a string, and each code point counts once', () => {
  let found = 0;
  for (const text of randomTexts(10_000)) {
    const rows = Array.from(text.matchAll(/\p{M}+/gu), ([marks]) => marks.length);
    const expected = Math.max(0, ...rows) > MARKS_MAX;
    assert.equal(hasTooManyMarks(text), expected, JSON.stringify(text));
    assert.equal(codePoints(text), [...text].length);
    if (expected) found += 1;
  }
  assert.ok(found > 100, `${found} strings had too many marks`);
});
