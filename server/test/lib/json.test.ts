import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mutate, randomDocument, randomNumbers } from '../../../testkit/src/random-json.ts';
import { JsonError, parseJson, TOO_MANY_VALUES, VALUES_MAX } from '../../src/lib/json.ts';
import { isObject } from '../../src/lib/merge-patch.ts';

/** The position of the error in invalid JSON. */
function faultPosition(text: string): number {
  try {
    parseJson(text);
  } catch (error) {
    assert.ok(error instanceof JsonError);
    assert.match(error.message, /^[A-Z]/);
    return error.position;
  }
  throw new Error(`Accepted: ${text}`);
}

const nest = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const VALID = [
  ...['[]', '{}', '[[]   ]', ' [] ', '[ ]', '{ }', '\t[\n1\r]\n', '[null, 1, "1", {}]', '[1,null,null,null,2]', '[""]'],
  ...['true', 'false', 'null', '""', '" "', '"asd"', '42', '-0.1', '[false]', '[true]', '[null]', '[true,false,null]'],
  ...[
    ...['0', '-0', '[-0]', '[0e1]', '[0e+1]', '[-0.0]', '[123]', '[-123]', '[-1]', '[1E22]', '[1E-2]', '[1E+2]'],
    '[20e1]',
  ],
  ...['[123e45]', '[123.456e78]', '[123.456789]', '[1e-2]', '[1e+2]', '[0.4e5]', '[4 ]', '[-0.000000000000001]'],
  ...['[1e400]', '[-1e400]', '[1e-400]', '[123123e100000]', '[0.4e00669999999999999999999999999999999999999999999]'],
  ...['[100000000000000000000]', '[-123123123123123123123123123123]', '[1.5e+9999]', '[9007199254740993]'],
  ...[
    ...['{"a":"b"}', '{"":0}', '{"a":[]}', '{"a" : 1 , "b" : 2}', '{"a\\u0000b":42}', '{"a":{"a":{"a":1}}}'],
    '{"a":1,"A":2}',
  ],
  ...['{"min":-1.0e+28,"max":1.0e+28}', '{"\\ud800":1}', '{"toString":1,"constructor":2,"hasOwnProperty":3}'],
  ...[
    '["\\u0060\\u012a\\u12AB"]',
    '["\\uD801\\udc37"]',
    '["\\ud83d\\ude39\\ud83d\\udc8d"]',
    '["\\"\\\\\\/\\b\\f\\n\\r\\t"]',
  ],
  ...['["\\\\u0000"]', '["\\u0000"]', '["\\u001f"]', '["\\u0012"]', '["\\uFFFF"]', '["\\uDBFF\\uDFFE"]', '["\\\\a"]'],
  ...['["\\ud800"]', '["\\udc00x"]', '["\\uD888\\u1234"]', '["\\uDd1ea"]', '["a/*b*/c/*d//e"]', '["new\\u000Aline"]'],
  ...['["\u007f"]', '["\u2028\u2029"]', '["π€𝄞"]', '["\ud800"]', '["\ufeff"]', '["\u00a0"]', '["\uffff\u{10ffff}"]'],
  ...[nest(32), `${'{"a":'.repeat(32)}1${'}'.repeat(32)}`],
];

/** What `JSON.parse` returns, as JSON, with null where `parseJson` returns NaN. V8's reviver would change some names. */
function expectedJson(text: string): string {
  const expected: unknown = JSON.parse(text);
  return JSON.stringify(
    withNaN(
      expected,
      outcome(() => parseJson(text)),
    ),
  );
}

function withNaN(expected: unknown, actual: unknown): unknown {
  if (typeof expected === 'number' && Number.isNaN(actual)) return null;
  if (Array.isArray(expected)) return expected.map((value, index) => withNaN(value, Object(actual)[index]));
  if (!isObject(expected)) return expected;
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [name, withNaN(value, Object(actual)[name])]),
  );
}

describe('valid JSON has the same value as with JSON.parse, except inexact numbers', () => {
  for (const text of VALID) {
    test(JSON.stringify(text.slice(0, 60)), () => {
      assert.equal(JSON.stringify(parseJson(text)), expectedJson(text));
    });
  }
});

/** Marks where the first error starts in invalid JSON. */
const MARK = '⇡';
const INVALID = [
  ...['⇡', ' ⇡', '[⇡', '{⇡', '⇡]', '⇡}', '[1⇡', '[1,⇡', '[1,⇡]', '[⇡,1]', '[1 ⇡2]', '[1,⇡,2]', '["a",⇡]'],
  ...['["a"⇡', '[""]⇡,', '[]⇡]', '[⇡}', '{⇡]', '[1⇡}', '{"a"⇡}', '{"a"⇡,1}', '{"a":⇡}', '{"a":1,⇡}', '{⇡,}'],
  ...['{"a" ⇡1}', '{"a":⇡:1}', '{⇡1:1}', '{⇡a:1}', "{⇡'a':1}", '{⇡null:1}', '{"a":1 ⇡"b":2}', '{"a":1}⇡}'],
  ...['{"a":1⇡', '{"a":1,"b"⇡', '{}⇡x', '[]⇡\u0000', '1 ⇡2', '{}⇡{}', '[1]⇡//', '⇡/**/1', '[⇡#]', '⇡nul'],
  ...['⇡True', '⇡truE', '[⇡fals]', '[⇡nan]', '⇡NaN', '⇡Infinity', '⇡-Infinity', 'true⇡false', '⇡undefined'],
  ...['[null⇡1]', '⇡None', '⇡*', '⇡\\u0031', '⇡-', '⇡+1', '⇡.5', '⇡-.5', '1⇡.', '[1⇡.]', '0⇡1', '-0⇡1'],
  ...['[-0⇡12]', '1⇡e', '1⇡e+', '1⇡E-', '1⇡.e3', '1⇡eE2', '0⇡x10', '1⇡_000', '1.2⇡.3', '⇡--1', '⇡- 1', '1⇡,5'],
  ...['1 ⇡000', '1⇡n', '[0⇡.e1]', '[0⇡e]', '⇡１', '1⇡\u00a0', '2⇡.e+3', '"⇡', '"a⇡', '"⇡\\', '"\\"⇡', "⇡'a'"],
  ...['"⇡\\a"', '"⇡\\x41"', '"⇡\\U0041"', '"⇡\\u"', '"⇡\\u00"', '"⇡\\u00g0"', '"⇡\\u+041"', '"⇡\\u 041"'],
  ...['"a⇡\\', '"\\uD800⇡\\', '"a⇡\u0000"', '"⇡\t"', '"⇡\n"', '"⇡\u001f"', '"a⇡\r\nb"', '["a⇡\u0000a"]', '⇡abc'],
  ...['"⇡\\\u0000"', '"⇡\\😀"', '"\\ud83d⇡\\ude0"', '⇡`a`', '⇡“a”', '"⇡\\\n"', '⇡\ufeff[]', '[⇡\u000c]'],
  ...['[⇡\u000b]', '⇡\u00a0[]', '[⇡\u2060]', '[]⇡\u2028', '⇡\u0000', '{"a":1,⇡"a":1}', '{"a":1,⇡"\\u0061":2}'],
  ...['[{"b":{"c":1,"d":2,⇡"c":3}}]', '{"":1,⇡"":1}'],
  ...['{"__proto__":1,⇡"__proto__":2}'],
  ...['{"constructor":1,⇡"constructor":1}'],
  // More than 32 levels, which only this parser rejects, like duplicate names.
  ...[`${'['.repeat(32)}⇡[]${']'.repeat(32)}`, `${'['.repeat(32)}⇡${nest(10_000)}`, `${'{"a":'.repeat(32)}⇡{"a":`],
];

describe('invalid JSON is rejected at the start of its first error', () => {
  for (const marked of INVALID) {
    test(JSON.stringify(marked.slice(0, 60)), () => {
      assert.equal(faultPosition(marked.replace(MARK, '')), marked.indexOf(MARK));
    });
  }
});

describe('special names are ordinary members', () => {
  test('__proto__ does not change the prototype', () => {
    const value = parseJson('{"__proto__":{"isAdmin":true},"a":{"__proto__":1}}');
    assert.ok(isObject(value) && isObject(value.a));
    assert.deepEqual(Object.keys(value), ['__proto__', 'a']);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(value.isAdmin, undefined);
    assert.equal(Object.getOwnPropertyDescriptor(value.a, '__proto__')?.value, 1);
    assert.ok(!('isAdmin' in {}));
  });

  test('names inherited from Object are accepted', () => {
    assert.deepEqual(parseJson('{"toString":1}'), { toString: 1 });
  });
});

const INEXACT = [
  ...['1e400', '-1e400', '1e-400', '9007199254740993', '123456789012345678', '0.12345678901234567890'],
  ...['0.1000000000000000001', '1.7976931348623159e308', '4.9e-324'],
];
const EXACT = [
  ...['0', '-0', '0.0', '0e999', '0.1', '1e22', '1e2', '100e-2', '3.0', '-12.50', '1.0000000000000000000000', '1e0001'],
  ...['9007199254740991', '9007199254740992', '9007199254740994', '999999999999.99', '999999999999.990', '5e-324'],
  ...['1.7976931348623157e308', '0.30000000000000004', '123456789012345', '0.000000000000001', '100000000000000000000'],
];

describe('a number that a double would change becomes NaN', () => {
  for (const text of INEXACT) {
    test(text, () => assert.deepEqual(parseJson(`{"a":[${text}]}`), { a: [Number.NaN] }));
  }
  for (const text of EXACT) {
    test(`${text} is exact`, () => assert.equal(parseJson(text), Number(text) || 0));
  }
  test('a number as JavaScript prints it is never changed', () => {
    for (const number of randomNumbers(20_000)) assert.equal(parseJson(String(number)), number);
  });
  test('excess digits are always found', () => {
    for (const number of randomNumbers(5_000)) {
      const [digits, exponent] = number.toExponential(16).split('e');
      assert.equal(parseJson(`${digits}123e${exponent}`), Number.NaN, String(number));
    }
  });
});

describe('random documents', () => {
  test('have the same value as with JSON.parse', () => {
    for (let seed = 1; seed <= 3_000; seed += 1) {
      const text = randomDocument(seed);
      assert.equal(JSON.stringify(parseJson(text)), expectedJson(text), text);
    }
  });

  test('when corrupted, are rejected if JSON.parse rejects them, and otherwise only for duplicate names', () => {
    let refused = 0;
    for (let seed = 1; seed <= 5_000; seed += 1) {
      const text = mutate(randomDocument(seed), seed);
      const expected = outcome(() => expectedJson(text));
      const actual = outcome(() => JSON.stringify(parseJson(text)));
      if (expected === undefined) refused += 1;
      // Damage can create duplicate names, which only this parser rejects.
      if (expected !== undefined && actual === undefined)
        assert.throws(() => parseJson(text), /Duplicate member/, text);
      else assert.equal(actual, expected, text);
    }
    assert.ok(refused > 1_000 && refused < 4_500, `${refused} documents were rejected`);
  });
});

describe('a document with too many values is only checked for its syntax', () => {
  const behind = (count: number, text: string) => `[${'0,'.repeat(count)}${text}]`;

  test('the limit is exact', () => {
    const kept = parseJson(behind(VALUES_MAX - 2, '1e400'));
    assert.ok(Array.isArray(kept) && kept.length === VALUES_MAX - 1);
    assert.equal(kept.at(-1), Number.NaN);
    assert.equal(parseJson(behind(VALUES_MAX - 1, '1e400')), TOO_MANY_VALUES);
  });

  test('the same errors are found in the same places, except duplicate names', () => {
    let refused = 0;
    for (let seed = 1; seed <= 1_500; seed += 1) {
      const text = mutate(randomDocument(seed), seed);
      const short = faultOf(behind(10, text));
      const long = faultOf(behind(VALUES_MAX, text));
      if (short?.message.includes('Duplicate member')) continue;
      if (short !== undefined) refused += 1;
      const moved = short && { message: short.message, position: short.position + 2 * (VALUES_MAX - 10) };
      assert.deepEqual(long && { message: long.message, position: long.position }, moved, text);
    }
    assert.ok(refused > 300, `${refused} documents were rejected`);
  });
});

test('what follows a document with too many values is rejected as after any other', () => {
  for (const rest of ['\0', ' \0x', ']', '\0]', '}', ',', '"', 'x', ' 0', '[', '\uffff']) {
    const [short, long] = [10, VALUES_MAX].map((count) => faultOf(`[${'0,'.repeat(count)}0]${rest}`));
    assert.ok(short !== undefined, rest);
    const expected = { message: short.message, position: short.position + 2 * (VALUES_MAX - 10) };
    assert.deepEqual(long && { message: long.message, position: long.position }, expected, JSON.stringify(rest));
  }
});

function faultOf(text: string): JsonError | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof JsonError);
    return error;
  }
}

/** Undefined if rejected. */
function outcome<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

test('a number with a million digits is parsed', () => {
  assert.equal(parseJson(`1.${'0'.repeat(1_000_000)}`), 1);
  assert.equal(parseJson(`1.${'0'.repeat(1_000_000)}1`), Number.NaN);
});
