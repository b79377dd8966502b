/** What becomes of a body: a listing, a refusal of its fields, or no JSON at all. `any` of these where HTTP alone decides. */
type JsonFate = 'taken' | 'fields' | 'no JSON' | 'any';

export interface JsonCase {
  what: string;
  body: Uint8Array<ArrayBuffer>;
  fate: JsonFate;
}

const DOCUMENT = '{"address":"12 Elm Straße 😀","beds":3,"baths":2,"metadata":{"a":1.5e1,"b":true,"c":"\\u00e9"}}';
const HIGH_DEPTH = 100_000;

/** As the value of a member of `metadata`. */
const NUMBERS: Record<JsonFate, string[]> = {
  taken: [
    '0',
    '-0',
    '1E+2',
    '1e2',
    '1e-7',
    '0e1',
    '0e+1',
    '-1.5',
    '1.0',
    '0.1',
    '123456789012345',
    '1.7976931348623157e308',
    ' 1 ',
  ],
  fields: [
    '1e400',
    '-1e400',
    '9007199254740993',
    '0.1000000000000000055511151231257827',
    '1e-400',
    '123456789012345678901234567890',
  ],
  'no JSON': [
    ...[
      '01',
      '-01',
      '+1',
      '.5',
      '-.5',
      '1.',
      '1.e2',
      '1e',
      '1e+',
      '1eE2',
      '9.e+',
      '0x1F',
      '1_000',
      '1,5',
      '--1',
      '- 1',
      '1 2',
    ],
    ...['Infinity', '-Infinity', 'NaN', 'nan', '１', '1a', '0b1', '0o7', '1n', '1f', '$', '-', '-foo', '1.2.3', '1/2'],
  ],
  any: [],
};
const STRINGS: Record<JsonFate, string[]> = {
  taken: ['""', '"\\u0041"', '"\\/"', '"\\ud83d\\ude00"', '"\u2028\u2029"', '"\uffff"', '"\u200b"', '"\\"\\\\"'],
  fields: [
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\u007f"',
    '"\\n"',
    '"\\u001b"',
    '"\\b"',
    'null',
    '{}',
    '[]',
    '[1]',
    '{"x":1}',
  ],
  'no JSON': [
    ...[
      '"\u0000"',
      '"\n"',
      '"\t"',
      '"\u001f"',
      '"\\x41"',
      '"\\a"',
      '"\\u12"',
      '"\\u{41}"',
      '"\\uD83D\\u"',
      '"\\uZZZZ"',
      '"\\',
      '"\\"',
    ],
    ...[
      "'a'",
      '"a',
      'a"',
      'a',
      '`a`',
      '“a”',
      '"a" "b"',
      '"a"b',
      '""""',
      'tru',
      'True',
      'TRUE',
      'nul',
      'Null',
      'undefined',
      '\\u0031',
    ],
  ],
  any: [],
};
/** In the place of the whole body. */
const DOCUMENTS: Record<JsonFate, string[]> = {
  taken: [
    DOCUMENT,
    ` \t\r\n${DOCUMENT}\n`,
    `\ufeff${DOCUMENT}`,
    DOCUMENT.replaceAll(':', ' : ').replaceAll(',', '\n,\t'),
  ],
  fields: [
    'null',
    'true',
    '1',
    '-0',
    '"x"',
    '[]',
    '{}',
    '[[[]]]',
    `[${DOCUMENT}]`,
    `{"__proto__":${DOCUMENT}}`,
    '\ufeff{}',
    ' 1 ',
  ],
  'no JSON': [
    ...[
      '',
      ' ',
      '\n',
      '\ufeff',
      '{',
      '[',
      '{"',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,',
      '[1',
      '[1,',
      '}',
      ']',
      ',',
      ':',
      '{]',
      '[}',
    ],
    ...[
      '{"a":1,}',
      '{,}',
      '{,"a":1}',
      '{"a":1,,"b":2}',
      '[1,]',
      '[,1]',
      '[,]',
      '[1,,2]',
      '{"a" 1}',
      '{"a":1 "b":2}',
      '{"a"::1}',
      '[1 2]',
    ],
    ...[
      '{a:1}',
      "{'a':1}",
      '{1:1}',
      '{null:1}',
      '{"a":1}}',
      '{"a":1}]',
      '{"a":1}x',
      '{"a":1}{"b":2}',
      '{} {}',
      '[]#',
      '{"a":=1}',
    ],
    ...[
      '// x\n{}',
      '/* x */{}',
      '{}// x',
      '{"a":/**/1}',
      '# x\n{}',
      '<!-- -->{}',
      '\u00a0{}',
      '\u000c{}',
      '\u200b{}',
      '{}\u0000',
      '\u0000{}',
    ],
    ...[
      '{"beds":1,"beds":1}',
      '{"a":1,"\\u0061":2}',
      '{"":1,"":2}',
      '\ufeff\ufeff{}',
      'a=1&b=2',
      '<a/>',
      '---\na: 1',
      '{}\u001e',
      '\u001e{}',
    ],
    ...[
      '['.repeat(HIGH_DEPTH),
      '{"a":'.repeat(HIGH_DEPTH),
      `${'['.repeat(5_000)}1`,
      '"'.repeat(1_001),
      `{"a":"${'x'.repeat(9_999)}`,
    ],
  ],
  any: [
    ...[500, 10_000].map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
    ...[500, 10_000].map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  ],
};

/** Bodies that are not UTF-8, whatever they may be else. */
const BYTES: [what: string, body: Buffer][] = [
  ['UTF-16LE', Buffer.from(DOCUMENT, 'utf16le')],
  ['UTF-16LE with its mark', Buffer.from(`\ufeff${DOCUMENT}`, 'utf16le')],
  ['UTF-16BE', Buffer.from(DOCUMENT, 'utf16le').swap16()],
  ['UTF-16BE with its mark', Buffer.from(`\ufeff${DOCUMENT}`, 'utf16le').swap16()],
  ['ISO 8859-1', Buffer.from(DOCUMENT.replace('😀', ''), 'latin1')],
  ['half a mark', Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from(DOCUMENT)])],
  ...[
    'c0af',
    'e08080',
    'eda080',
    'f4908080',
    'f8888080',
    'ff',
    'fe',
    '80',
    'c3',
    'e282',
    'f09f98',
    'f0808080',
    'c3c3',
  ].map((hex): [string, Buffer] => [
    `the bytes ${hex} in a text`,
    Buffer.concat([Buffer.from('{"address":"a'), Buffer.from(hex, 'hex'), Buffer.from('","beds":1,"baths":1}')]),
  ]),
  ['gzip', Buffer.from('1f8b0800000000000003', 'hex')],
];

/** Each kind of case that suites for JSON parsers have, as the body of a new listing. */
export function jsonCases(): JsonCase[] {
  const bytes = Buffer.from(DOCUMENT);
  const positions = Array.from(bytes, (_, index) => index);
  return [
    ...casesOf(NUMBERS, inMetadata),
    ...casesOf(STRINGS, inMetadata),
    ...casesOf(DOCUMENTS, (text) => text),
    ...BYTES.map(([what, body]) => ({ what, body: Uint8Array.from(body), fate: 'no JSON' as const })),
    ...positions.map((end) => ({
      what: `cut after ${end} bytes`,
      body: Uint8Array.from(bytes.subarray(0, end)),
      fate: 'no JSON' as const,
    })),
    ...positions.map((at) => ({
      what: `byte ${at} is 0xFF`,
      body: Uint8Array.from(bytes).with(at, 0xff),
      fate: 'no JSON' as const,
    })),
  ];
}

function casesOf(texts: Record<JsonFate, string[]>, wrap: (text: string) => string): JsonCase[] {
  return (['taken', 'fields', 'no JSON', 'any'] as const).flatMap((fate) =>
    texts[fate].map((text) => ({
      what: JSON.stringify(text).slice(0, 80),
      body: Uint8Array.from(Buffer.from(wrap(text))),
      fate,
    })),
  );
}

function inMetadata(value: string): string {
  return `{"address":"12 Elm Street","beds":3,"baths":2,"metadata":{"a":${value}}}`;
}
