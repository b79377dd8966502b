import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { generator } from '../../../testkit/src/random-json.ts';
import { encodeCell, toCsvLine } from '../../src/http/contract/schemas/listing-csv.ts';
import { parseJson } from '../../src/lib/json.ts';
import { decodeRecord } from '../support/decode-record.ts';

const FIELDS = ['id', 'address', 'beds', 'listPrice', 'latitude', 'description', 'photos', 'metadata', 'version'];

const encode = (listing: Record<string, unknown>) => toCsvLine(FIELDS.map((field) => encodeCell(listing[field])));

/** Splits a line with an independent parser, then decodes its cells with `decodeRecord`. */
function decode(line: string) {
  const [cells = [], ...others]: string[][] = parse(line, { record_delimiter: '\r\n' });
  assert.deepEqual([cells.length, others], [FIELDS.length, []]);
  return decodeRecord(Object.fromEntries(FIELDS.map((field, index) => [field, cells[index] ?? ''])));
}

const PIECES = [
  ...['=', '+', '-', '@', '＝', '＠', '\t', '\r', "'", "''", '"', ',', ';', '\n', '\r\n', ' ', '\\', 'a', 'é', '語'],
  ...['😀', '0', 'null', '{', '\u2028', '\ufeff'],
];

describe('a listing is unchanged after encoding and decoding as CSV', () => {
  test('with hostile text in every cell', () => {
    const random = generator(1);
    const text = () =>
      Array.from({ length: 1 + random() * 5 }, () => PIECES[Math.floor(random() * PIECES.length)]).join('');
    for (let round = 0; round < 20_000; round += 1) {
      const listing = {
        id: 'lst_0',
        address: text(),
        beds: Math.floor(random() * 999),
        listPrice: Math.round(random() * 1e14) / 100,
        latitude: (Math.floor(random() * 100) - 50) / 1e8,
        description: text(),
        photos: [{ url: text(), caption: text() }],
        metadata: { [text()]: text(), number: random() - 0.5, boolean: true },
        version: 1,
      };
      assert.deepEqual(decode(encode(listing)), listing);
    }
  });

  test('a missing field is an empty cell, which is decoded as null', () => {
    const line = encode({ id: 'lst_0', beds: 0, photos: [], metadata: {} });
    assert.equal(line, 'lst_0,,0,,,,[],{},\r\n');
    const [address, listPrice, latitude, description, version] = Array(5).fill(null);
    const absent = { address, listPrice, latitude, description, version };
    assert.deepEqual(decode(line), { id: 'lst_0', beds: 0, photos: [], metadata: {}, ...absent });
  });
});

describe('a string that a spreadsheet would evaluate is escaped with an apostrophe', () => {
  for (const [text, cell] of [
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['-5 Elm', "'-5 Elm"],
    ['@home', "'@home"],
    ['\t=1', "'\t=1"],
    ['\r=1', "'\r=1"],
    ["'=1", "''=1"],
    ["''=1", "'''=1"],
    ["'s-Hertogenbosch", "'s-Hertogenbosch"],
    ['a=1', 'a=1'],
    ['1-2', '1-2'],
    ["'", "'"],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ["'＝1", "''＝1"],
    ['Elm;=1+1', "Elm;'=1+1"],
    ["Elm;'=1;＝2", "Elm;''=1;'＝2"],
    [';=1;;-2', ";'=1;;'-2"],
    ['a; b', 'a; b'],
  ] as const) {
    test(JSON.stringify(text), () => {
      assert.equal(encodeCell(text), cell);
      assert.deepEqual(decodeRecord({ address: cell }), { address: text });
    });
  }

  test('unescaped cells of other programs are read as they are', () => {
    assert.deepEqual(decodeRecord({ address: '=1', city: "'t Harde" }), { address: '=1', city: "'t Harde" });
  });

  test('JSON cells escape the first character of a formula within the JSON', () => {
    const metadata = { 'a;=1': ';＝1', b: ";'=1", c: -1 };
    const cell = encodeCell(metadata);
    assert.doesNotMatch(cell, /;[=＝]/);
    assert.deepEqual(decodeRecord({ metadata: cell }), { metadata });
  });

  test('numbers are not escaped', () => {
    assert.equal(encodeCell(-97.7431), '-97.7431');
    assert.equal(encodeCell(-1e-8), '-1e-8');
    const value = decodeRecord({ longitude: '-97.7431', latitude: '-1e-8' });
    assert.deepEqual(value, { longitude: -97.7431, latitude: -1e-8 });
  });
});

describe('numbers in cells have the syntax of JSON', () => {
  for (const cell of ['3', '3.0', '-0', '1e3', '4.5E+05', ' 3 ', '0.10', '-97.7431']) {
    test(`${JSON.stringify(cell)} is a number`, () => {
      assert.deepEqual(decodeRecord({ listPrice: cell }), { listPrice: parseJson(cell) });
    });
  }
  for (const cell of [
    ...['007', '+5', '.5', '5.', '1,000', '$5', '0x10', 'Infinity', 'NaN', 'null', '1e', '１', "'5", ' '],
  ]) {
    test(`${JSON.stringify(cell)} stays text`, () => {
      assert.deepEqual(decodeRecord({ listPrice: cell }), { listPrice: cell });
    });
  }

  test('a number that a double cannot hold becomes NaN, even in metadata', () => {
    const record = decodeRecord({ listPrice: '9007199254740993', metadata: '{"a":1e400}', beds: '3' });
    assert.deepEqual(record, { listPrice: Number.NaN, metadata: { a: Number.NaN }, beds: 3 });
  });
});

test('a cell with invalid JSON stays text', () => {
  for (const metadata of ["{'a':1}", '{"a":1,"a":2}', 'null', "'{}", '{"__proto__"']) {
    assert.deepEqual(decodeRecord({ metadata }), { metadata });
  }
});

test('a line is quoted as in RFC 4180 and never empty', () => {
  assert.equal(toCsvLine(['a', 'b c', '']), 'a,b c,\r\n');
  assert.equal(toCsvLine(['a,b', 'say "x"', 'one\ntwo', '\r']), '"a,b","say ""x""","one\ntwo","\r"\r\n');
  assert.equal(toCsvLine(['']), '""\r\n');
});
