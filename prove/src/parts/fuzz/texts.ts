/** Texts of all the kinds that have ever broken a program, by the kind. Those above a limit are made for each field. */
export const TEXTS: Record<string, readonly string[]> = {
  plain: ['Elm Street 12', 'a', '0', 'élan', '  trimmed  ', 'a  b', '\u00a0Elm\u3000', '\ufeffElm\ufeff'],
  'right to left': [
    'שלום עולם',
    'مرحبا بالعالم',
    '\u202etxt.exe\u202c',
    '\u2067isolated\u2069 x',
    '\u061cعربي',
    'a\u200fb',
  ],
  'zero width': [
    'a\u200bb',
    'a\u200cb\u200dc',
    '\u2060a\u2060',
    'soft\u00adhyphen',
    '\u200b',
    'a\ufe0f',
    '\u180e',
    '\ufff9a\ufffa',
  ],
  combining: [
    'e\u0301',
    'a\u0323\u0307',
    'a\u0307\u0323',
    'Z\u0338\u0341\u0317\u033aa\u0334\u0347l\u0335',
    '\u0301',
    '\u0e33\u0e4d',
  ],
  composed: [
    '\u212b',
    '\u1112\u1161\u11ab',
    '\ufb01n',
    'ẛ\u0323',
    '\u0958',
    '\ufb2c',
    '\u2126 Ω',
    'Å',
    '\u0344',
    '\u1fee',
  ],
  emoji: ['👩\u200d👩\u200d👧\u200d👦', '🏳️\u200d🌈', '🇺🇸🇩🇪', '👍🏽', '1️⃣', '🫠', '🧑🏿\u200d🚀x', '\u{e0067}\u{e007f}'],
  planes: ['𝕳𝖊𝖑𝖑𝖔', '𠜎𠜱', '\u{10ffff}', '\u{1fffe}', '\uffff', '\ufdd0', '\ue000', '\ufffd', '\u{100000}'],
  letters: ['İstanbul ı', 'ß ẞ', 'ǅ ǆ', 'ΟΔΟΣ ςσ', 'ﬀ ﬃ', 'pаypal', 'ｅｌｍ', '東京都 港区', '가나다', 'ไทย', 'हिन्दी'],
  digits: ['٣ ५ ①', '½ Ⅷ', '007', '1e1000', '0x1F', '1,000.00', '-0', 'NaN', 'Infinity', '１２'],
  sql: [
    "'; drop table listings; --",
    '" or ""="',
    "1' or '1'='1",
    '1; select pg_sleep(10)',
    '%',
    '_',
    '$1',
    ':name',
    '@p1 ?',
    '$$;',
  ],
  markup: [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '&lt;b&gt;&amp;&#0;',
    '<!-- -->',
    ']]>',
    '{{7*7}}',
    '$\u007b7*7}',
  ],
  formats: ['%s%n%x%d', '{0} {name}', '%00', '%2e%2e%2f', '%ZZ', '#{1+1}', '\\u0000', '\\x00\\', '\\', 'a\\b "c"'],
  shells: [
    '$(id)',
    '`id`',
    '| cat /etc/passwd',
    '../../../etc/passwd',
    'C:\\con\\aux',
    '~root',
    'file:///etc/passwd',
    '() { :;}; id',
  ],
  reserved: [
    'null',
    'undefined',
    'true',
    'None',
    'nil',
    'CON',
    'NUL',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ],
  names: ['.', '..', '/', 'a/b', '?', '#', 'external', 'id', 'New', '*', '-', 'Null', 'O’Brien', "d'Arc", 'X Æ A-12'],
  formulas: ['=1+1', '+1', '-1', '@SUM(A1)', "'=1", "''=1", "'", '=cmd|x!A0', '=HYPERLINK("x","y")', '"=1"', '＝1'],
  csv: ['a,b', 'a;b', '"', '""', '","', 'a"b', '"a"', ',', 'end,'],
  json: ['{"a":1}', '[1,2]', '{"end":true}', '"x"', '// x', '{', ']'],
  lines: [
    'a\nb',
    'a\r\nb',
    'a\rb',
    'a\tb',
    'a\u2028b',
    'a\u2029b',
    'a\u0085b',
    'a\u000bb',
    'a\u000cb',
    '\n',
    'a\n=1',
    '\n,"\r',
  ],
  controls: ['\u0000', 'a\u0000b', '\u0007', '\u001b[31mred', '\u007f', 'a\u009fb', '\u0080'],
  halves: ['\ud800', 'a\udc00b', '\udbff\udbff', '\ude00\ud83d'],
  blanks: ['', ' ', '\t', '\u3000', '\u00a0\u00a0', '\u2028', '\ufeff', '\u2003\u2009'],
};

/** Texts at a limit, and above it, counted in characters as the contract does. */
export function textsAround(lengthMax: number): string[] {
  return [
    'x'.repeat(lengthMax),
    'x'.repeat(lengthMax + 1),
    '😀'.repeat(lengthMax),
    '😀'.repeat(lengthMax + 1),
    'e\u0301'.repeat(lengthMax),
    `   ${'x'.repeat(lengthMax)}   `,
    '\u0958'.repeat(lengthMax),
    `${'w'.repeat(lengthMax - 1)}\u0301\u0302`,
  ];
}

/** Where a text can stand. */
export interface Place {
  lengthMax: number;
  /** Whether line feeds and tabs are kept. */
  isMultiline?: boolean;
  /** Whether it is kept with its blanks, and may be empty. */
  isRaw?: boolean;
  /** What stands in words beside that. */
  isRefused?: (text: string) => boolean;
}

/** What becomes of a text: it is stored so, or refused with one of these codes. */
export type Fate = { stored: string } | { codes: string[] };

/** By the contract's §2, written a second time: a character is a code point, counted in NFC and trimmed. */
export function fateOf(text: string, { lengthMax, isMultiline = false, isRaw = false, isRefused }: Place): Fate {
  const normal = text.normalize('NFC');
  const stored = isRaw ? normal : normal.trim();
  const control = isMultiline ? /[\p{Cc}--[\n\t]]/v : /\p{Cc}/u;
  const codes = [
    stored === '' && !isRaw ? 'blank' : '',
    [...stored].length > lengthMax ? 'too_long' : '',
    control.test(stored) || !stored.isWellFormed() || isRefused?.(stored) ? 'invalid_format' : '',
  ].filter((code) => code !== '');
  return codes.length === 0 ? { stored } : { codes };
}

/** What names a folder in a path, and no listing. */
export function isDots(text: string): boolean {
  return text === '.' || text === '..';
}
