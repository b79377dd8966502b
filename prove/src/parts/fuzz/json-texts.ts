import { readTexts } from '../../texts.ts';

/** What becomes of a body: a listing, an error in its fields, or an error in its JSON; `any` where only HTTP is certain. */
type JsonFate = 'taken' | 'fields' | 'no JSON' | 'any';

export interface JsonCase {
  what: string;
  body: Uint8Array<ArrayBuffer>;
  fate: JsonFate;
}

/** By place and fate: `body taken` is a whole body, `member taken` a value in `metadata`. */
const TEXTS = readTexts(new URL('json-texts.jsonl', import.meta.url));
/** Stands in the file as `DOCUMENT`. */
const DOCUMENT = '{"address":"12 Elm Straße 😀","beds":3,"baths":2,"metadata":{"a":1.5e1,"b":true,"c":"\\u00e9"}}';
const SPACED = DOCUMENT.replaceAll(':', ' : ').replaceAll(',', '\n,\t');
const DEPTHS = [500, 10_000];
const NESTED = DEPTHS.flatMap((depth) => [
  '['.repeat(depth) + ']'.repeat(depth),
  `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
]);
const UNENDED = ['['.repeat(100_000), '{"a":'.repeat(100_000), `${'['.repeat(5_000)}1`, '"'.repeat(1_001)];
const BOM = '\ufeff';
const INVALID_UTF8 = 'c0af e08080 eda080 f4908080 f8888080 ff fe 80 c3 e282 f09f98 f0808080 c3c3'.split(' ');

const BYTES: [what: string, body: Buffer][] = [
  ['UTF-16LE', Buffer.from(DOCUMENT, 'utf16le')],
  ['UTF-16LE with a BOM', Buffer.from(BOM + DOCUMENT, 'utf16le')],
  ['UTF-16BE', Buffer.from(DOCUMENT, 'utf16le').swap16()],
  ['UTF-16BE with a BOM', Buffer.from(BOM + DOCUMENT, 'utf16le').swap16()],
  ['ISO 8859-1', Buffer.from(DOCUMENT.replace('😀', ''), 'latin1')],
  ['half a BOM', Buffer.concat([Buffer.from('efbb', 'hex'), Buffer.from(DOCUMENT)])],
  ['gzip', Buffer.from('1f8b0800000000000003', 'hex')],
  ...INVALID_UTF8.map((hex): [string, Buffer] => [
    `the bytes ${hex} in a text`,
    Buffer.from(`{"address":"a${Buffer.from(hex, 'hex').toString('latin1')}","beds":1,"baths":1}`, 'latin1'),
  ]),
];

/** The cases of suites for JSON parsers, each as the body of a new listing. */
export function jsonCases(): JsonCase[] {
  const bytes = Buffer.from(DOCUMENT);
  const broken = (what: string, body: Buffer): JsonCase => ({ what, body: Uint8Array.from(body), fate: 'no JSON' });
  return [
    ...(['taken', 'fields', 'no JSON'] as const).flatMap((fate) => [
      ...(TEXTS.get(`member ${fate}`) ?? []).map((text) => caseOf(text, fate, inMetadata(text))),
      ...(TEXTS.get(`body ${fate}`) ?? []).map((text) => caseOf(text, fate, text.replace('DOCUMENT', DOCUMENT))),
    ]),
    caseOf('spaces and line feeds', 'taken', SPACED),
    ...NESTED.map((text) => caseOf(text, 'any', text)),
    ...[...UNENDED, `{"a":"${'x'.repeat(9_999)}`].map((text) => caseOf(text, 'no JSON', text)),
    ...BYTES.map(([what, body]) => broken(what, body)),
    ...Array.from(bytes, (_, end) => broken(`cut after ${end} bytes`, bytes.subarray(0, end))),
    ...Array.from(bytes, (_, at) => broken(`byte ${at} is 0xFF`, Buffer.from(Uint8Array.from(bytes).with(at, 0xff)))),
  ];
}

function caseOf(text: string, fate: JsonFate, body: string): JsonCase {
  return { what: JSON.stringify(text).slice(0, 80), body: Uint8Array.from(Buffer.from(body)), fate };
}

function inMetadata(value: string): string {
  return `{"address":"12 Elm Street","beds":3,"baths":2,"metadata":{"a":${value}}}`;
}
