import assert from 'node:assert/strict';
import { readTexts } from '../../texts.ts';
import type { World } from './accounts.ts';
import { Caller, findTarget, JSON_TYPE, type Tally } from './caller.ts';

/**
 * The outcome of a body: `taken` if a listing is created, `fields` for an error in its fields, or `no JSON`
 * for an error in its JSON. `any` is either error. `removal` is an error in its fields, but valid in an import,
 * where rows are merge patches.
 */
type JsonFate = 'taken' | 'fields' | 'removal' | 'no JSON' | 'any';

interface JsonCase {
  what: string;
  body: Uint8Array<ArrayBuffer>;
  fate: JsonFate;
}

/** JSON by its place and outcome: `body taken` has accepted bodies, `member taken` accepted values in `metadata`. */
const TEXTS = readTexts(new URL('json-texts.jsonl', import.meta.url));
/** Replaces the word `DOCUMENT` in `json-texts.jsonl`. */
const DOCUMENT = '{"address":"12 Elm Straße 😀","beds":3,"baths":2,"metadata":{"a":1.5e1,"b":true,"c":"\\u00e9"}}';
const MEMBER_START = '{"address":"12 Elm Street","beds":3,"baths":2,"metadata":{"a":';
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
    `the bytes ${hex} in a string`,
    Buffer.from(`{"address":"a${Buffer.from(hex, 'hex').toString('latin1')}","beds":1,"baths":1}`, 'latin1'),
  ]),
];

/** Cases from test suites for JSON parsers, each as the body of a new listing. */
function jsonCases(): JsonCase[] {
  return [
    ...(['taken', 'fields', 'removal', 'no JSON'] as const).flatMap((fate) => [
      ...(TEXTS.get(`member ${fate}`) ?? []).map((text) => caseOf(text, fate, `${MEMBER_START}${text}}}`)),
      ...(TEXTS.get(`body ${fate}`) ?? []).map((text) => caseOf(text, fate, text.replace('DOCUMENT', DOCUMENT))),
    ]),
    caseOf('spaces and line feeds', 'taken', SPACED),
    ...NESTED.map((text) => caseOf(text, 'any', text)),
    ...[...UNENDED, `{"a":"${'x'.repeat(9_999)}`].map((text) => caseOf(text, 'no JSON', text)),
    ...BYTES.map(([what, body]) => broken(what, body)),
  ];
}

function damagedCases(): JsonCase[] {
  const bytes = Buffer.from(DOCUMENT);
  return [
    ...Array.from(bytes, (_, end) => broken(`cut after ${end} bytes`, bytes.subarray(0, end))),
    ...Array.from(bytes, (_, at) => broken(`byte ${at} is 0xFF`, Buffer.from(Uint8Array.from(bytes).with(at, 0xff)))),
  ];
}

function broken(what: string, body: Buffer): JsonCase {
  return { what, body: Uint8Array.from(body), fate: 'no JSON' };
}

function caseOf(text: string, fate: JsonFate, body: string): JsonCase {
  return { what: JSON.stringify(text).slice(0, 80), body: Uint8Array.from(Buffer.from(body)), fate };
}

const FATES: Record<JsonCase['fate'], RegExp> = {
  taken: /^201 $/,
  fields: /^422 validation_failed$/,
  removal: /^422 validation_failed$/,
  'no JSON': /^400 invalid_json$/,
  any: /^(422 validation_failed|400 invalid_json)$/,
};
const CREATE = findTarget('/v1', 'createListing');
const IMPORT = findTarget('/v1', 'createImport');
const GOOD_ROW = '{"address":"the last one","beds":1,"baths":1}';

/** Tries each case as a body and, if possible, as a line of an import. One in `share` damaged documents is tried. */
export async function tryJson(world: World, tally: Tally, share: number): Promise<string[]> {
  const caller = new Caller(world.url, tally);
  const fates: string[] = [];
  const damaged = damagedCases().filter((_, index) => index % share === 0);
  for (const each of [...jsonCases(), ...damaged]) {
    const headers = { ...world.callers.key, ...JSON_TYPE };
    const { status, text } = await caller.ask(CREATE, 'POST', '/v1/listings', headers, each.body);
    const { code = '', offset } = JSON.parse(text).error ?? {};
    fates.push(`${each.what} ${status} ${code} ${offset}`);
    const words = `JSON has a wrong outcome: ${each.what} is ${each.fate}: ${text}`;
    assert.match(`${status} ${code}`, FATES[each.fate], words);
    const isPlace = Number.isInteger(offset) && offset >= 0 && offset <= each.body.length;
    assert.ok(code !== 'invalid_json' || isPlace, `${each.what}: the error has the offset ${offset}`);
    if (isLine(each)) fates.push(await importLine(each, world, caller));
  }
  return fates;
}

/** The first bytes of gzip, and of text in UTF-8 or UTF-16 with a byte order mark. */
const OTHER_STARTS = ['\x1f\x8b', '\xef\xbb', '\xff\xfe', '\xfe\xff'];

/** Whether a body can be one row: not blank, without line breaks, and not starting like gzip, UTF-16, or a BOM. */
function isLine({ body }: JsonCase): boolean {
  const text = Buffer.from(body).toString('latin1');
  const isOther = text.slice(0, 2).includes('\0') || OTHER_STARTS.some((start) => text.startsWith(start));
  return text.trim() !== '' && !/[\r\n]/.test(text) && !isOther;
}

/** Imports the case as a line of a file. A broken row must not affect the others. */
async function importLine({ what, body, fate }: JsonCase, world: World, caller: Caller): Promise<string> {
  const headers = { ...world.callers.key, 'Content-Type': 'application/x-ndjson' };
  const file = Buffer.concat([body, Buffer.from(`\n${GOOD_ROW}\n`)]);
  const { status, text } = await caller.ask(IMPORT, 'POST', '/v1/imports?dryRun=true', headers, Uint8Array.from(file));
  assert.equal(status, 200, `${what} as a line: ${text}`);
  const { created, failed, errors } = JSON.parse(text);
  const expected = fate === 'taken' || fate === 'removal' ? [2, 0] : [1, 1];
  assert.deepEqual([created, failed], expected, `${what} as a line: ${text}`);
  return `line ${errors[0]?.code ?? ''}`;
}
