import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { createRandom } from '../../../testkit/src/random.ts';
import { randomDocument } from '../../../testkit/src/random-json.ts';
import { type Cells, CsvSplitter } from '../../src/lib/csv.ts';
import { JsonArraySplitter } from '../../src/lib/json-array.ts';
import { LineSplitter } from '../../src/lib/lines.ts';
import { BrokenFileError, type FileRecord, type Splitter } from '../../src/lib/records.ts';

/** The records in these chunks, and where the file is invalid. */
async function split<T>(splitter: Splitter<T>, chunks: Buffer[]) {
  const records: [line: number, content: string | T][] = [];
  const show = ({ content, isTooLong }: FileRecord<T>) => {
    const text = Buffer.isBuffer(content) ? content.toString() : content;
    return isTooLong ? `${text}…` : text;
  };
  try {
    for (const chunk of chunks) for (const record of splitter.push(chunk)) records.push([record.line, show(record)]);
    for (const record of await splitter.end()) records.push([record.line, show(record)]);
    return { records };
  } catch (error) {
    assert.ok(error instanceof BrokenFileError);
    return { records, line: splitter.line, offset: error.offset, message: error.message };
  }
}

const pieces = (bytes: Buffer, length: number) =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );

/** Splits the text whole, cut at every byte, and byte by byte; the results must be equal. */
async function splitEveryWay<T>(create: () => Splitter<T>, text: string | Buffer) {
  const bytes = Buffer.from(text);
  const expected = await split(create(), [bytes]);
  for (let at = 0; at <= bytes.length; at += 1) {
    assert.deepEqual(await split(create(), [bytes.subarray(0, at), bytes.subarray(at)]), expected, `cut at ${at}`);
  }
  assert.deepEqual(await split(create(), pieces(bytes, 1)), expected, 'byte by byte');
  return expected;
}

/** The records of a CSV string without blank lines; undefined if a quote is open at its end. */
function parseLeniently(text: string): string[][] | undefined {
  try {
    return parse(text, {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
    }).filter(([first, ...others]: string[]) => first !== '' || others.length > 0);
  } catch {
    return undefined;
  }
}

const lines = () => new LineSplitter(20);
const array = () => new JsonArraySplitter(20, 'value');

describe('lines are found with any chunk boundaries', () => {
  const cases: [text: string, ...records: [line: number, text: string][]][] = [
    [''],
    ['\n'],
    ['{}', [1, '{}']],
    ['{}\n', [1, '{}']],
    ['{}\r\n\r\n \t\n{"é":1}\r\n', [1, '{}\r'], [4, '{"é":1}\r']],
    ['\n\n1\n\n2', [3, '1'], [5, '2']],
    [`${'x'.repeat(20)}\n${'x'.repeat(21)}\n1`, [1, 'x'.repeat(20)], [2, `${'x'.repeat(20)}…`], [3, '1']],
    ['x'.repeat(100), [1, `${'x'.repeat(20)}…`]],
    [' '.repeat(21), [1, `${' '.repeat(20)}…`]],
  ];
  for (const [text, ...records] of cases) {
    test(JSON.stringify(text.slice(0, 30)), async () =>
      assert.deepEqual(await splitEveryWay(lines, text), { records }),
    );
  }
});

describe('array elements are found with any chunk boundaries', () => {
  const cases: [text: string, elements: string[]][] = [
    ['[]', []],
    [' \r\n\t[ \n ] \n', []],
    ['\uFEFF[1]', ['1']],
    ['[1,"2",{},[],null]', ['1', '"2"', '{}', '[]', 'null']],
    ['[{"a":[1,{"b":2}]}, [[3,4],5]]', ['{"a":[1,{"b":2}]}', '[[3,4],5]']],
    ['["a,]","\\"]","\\\\",{"]":"}"}]', ['"a,]"', '"\\"]"', '"\\\\"', '{"]":"}"}']],
    ['["é","😀"]', ['"é"', '"😀"']],
    // The JSON parser, not the splitter, finds the errors in these.
    ['[1 2, {]}, }, tru]', ['1 2', '{]}', '}', 'tru']],
    [`[${' '.repeat(30)}]`, []],
    [`[ 1${' '.repeat(30)},${'\n'.repeat(30)}{"a": 2 }\t]`, ['1', '{"a": 2 }']],
    [`["${'x'.repeat(18)}","${'x'.repeat(19)}",1]`, [`"${'x'.repeat(18)}"`, `"${'x'.repeat(19)}…`, '1']],
  ];
  for (const [text, elements] of cases) {
    const records = elements.map((element, index) => [index + 1, element]);
    test(text.slice(0, 40), async () => assert.deepEqual(await splitEveryWay(array, text), { records }));
  }

  test('in any valid document', async () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const elements = Array.from({ length: seed % 7 }, (_, index) => randomDocument(10 * seed + index));
      const splitter = new JsonArraySplitter(1000, 'value');
      const { records } = await split(splitter, pieces(Buffer.from(`[${elements.join()}]`), 1 + (seed % 13)));
      const expected = elements.map((element, index) => [index + 1, element.trim()]);
      assert.deepEqual(records, expected);
    }
  });
});

describe('an invalid array yields the elements before the error, then its position', () => {
  const cases: [text: string, elements: number, line: number, offset: number][] = [
    ['', 0, 1, 0],
    [' ', 0, 1, 1],
    ['{"data":[]}', 0, 1, 0],
    ['\uFEFF\uFEFF[]', 0, 1, 3],
    ['[', 0, 1, 1],
    ['[1', 0, 1, 2],
    ['[1,', 1, 2, 3],
    ['[1,{"a":"', 1, 2, 9],
    ['[,1]', 0, 1, 1],
    ['[1,,2]', 1, 2, 3],
    ['[1,2,]', 2, 3, 5],
    ['[1]x', 1, 2, 3],
    ['[1] \n[2]', 1, 2, 5],
    ['[]]', 0, 1, 2],
  ];
  for (const [text, elements, line, offset] of cases) {
    test(text, async () => {
      const broken = await splitEveryWay(array, text);
      assert.deepEqual([broken.records.length, broken.line, broken.offset], [elements, line, offset]);
    });
  }
});

describe('CSV records are found with any chunk boundaries', () => {
  const csv = () => new CsvSplitter(100);
  const cases: [text: string | Buffer, ...records: [line: number, cells: Cells][]][] = [
    [''],
    ['\uFEFF'],
    ['\uFEFF"a"', [1, ['a']]],
    ['\r\n'],
    ['a,b\n1,2', [1, ['a', 'b']], [2, ['1', '2']]],
    ['a,b\r\n1,2\r\n', [1, ['a', 'b']], [2, ['1', '2']]],
    ['a\r1\r\r2', [1, ['a']], [2, ['1']], [4, ['2']]],
    ['a\r\n1\n\r\n2\r', [1, ['a']], [2, ['1']], [4, ['2']]],
    ['"a,\r\n\r\n""b"\r\n\n"\n\r"\r\n3\r\n', [1, ['a,\r\n\r\n"b']], [5, ['\n\r']], [8, ['3']]],
    [',\r\n,,', [1, ['', '']], [2, ['', '', '']]],
    ['é,"😀\u2028"\n語', [1, ['é', '😀\u2028']], [2, ['語']]],
    ['6" pipe,a"b\n"c"d,"e" \nf', [1, ['6" pipe', 'a"b']], [2, ['"c"d', '"e" ']], [3, ['f']]],
    [Buffer.from('612cff0ac30ac3a9', 'hex'), [1, ['a', undefined]], [2, [undefined]], [3, ['é']]],
    ['a\u0000b,\t\n', [1, ['a\u0000b', '\t']]],
  ];
  for (const [text, ...records] of cases) {
    test(JSON.stringify(text.toString()), async () => assert.deepEqual(await splitEveryWay(csv, text), { records }));
  }

  test('in any string, as another parser finds them', async () => {
    const parts = ['"', '""', ',', ';', '\n', '\r\n', '\r', 'a', ' b', 'é', '"c,d"', '"e\r\nf"'];
    let compared = 0;
    for (let seed = 1; seed <= 3_000; seed += 1) {
      const random = createRandom(seed);
      const text = `,,,,\n${Array.from({ length: random.upTo(29) }, () => random.pick(parts)).join('')}`;
      const expected = parseLeniently(text);
      const { records, message } = await split(csv(), pieces(Buffer.from(text), 1 + random.upTo(8)));
      assert.equal(message === undefined, expected !== undefined, JSON.stringify(text));
      if (expected === undefined) continue;
      compared += 1;
      const found = records.map(([, cells]) => cells);
      assert.deepEqual(found, expected, JSON.stringify(text));
    }
    assert.ok(compared > 1_000, `${compared} strings have no open quote`);
  });

  test('an unclosed quote is reported at the end of the file, with its line', async () => {
    const { records, line, message } = await splitEveryWay(csv, 'a,b\r\n"1\n",2\r\n3,"4\r\n5,6\r\n');
    assert.deepEqual([records.length, line], [2, 4]);
    assert.match(message ?? '', /line 4 .* unclosed quote/);
  });

  test('an unclosed quote is reported early if the row gets too long', async () => {
    const splitter = csv();
    const { records, line, message } = await split(splitter, [Buffer.from('a,b\n1,"'), Buffer.from('x\n'.repeat(51))]);
    assert.deepEqual([records.length, line], [1, 2]);
    assert.match(message ?? '', /line 2 is longer than 100 bytes/);
  });

  test('a row with too many cells is rejected, because a file of commas would fill the memory', async () => {
    const file = [Buffer.from('a,b\n1,2\n'), ...pieces(Buffer.alloc(80_000, ','), 8_000)];
    const { records, line, message } = await split(new CsvSplitter(1_000_000), file);
    // The start of the row is still a record, because it may be the header.
    assert.deepEqual([records.length, line], [3, 3]);
    assert.match(message ?? '', /line 3 has more than 10000 cells/);
  });
});
