import assert from 'node:assert/strict';
import type { World } from './accounts.ts';
import { findTarget } from './api.ts';
import { Caller } from './caller.ts';
import { type JsonCase, jsonCases } from './json-texts.ts';
import type { Tally } from './tally.ts';

const FATES: Record<JsonCase['fate'], RegExp> = {
  taken: /^201 $/,
  fields: /^422 validation_failed$/,
  'no JSON': /^400 invalid_json$/,
  any: /^(422 validation_failed|400 invalid_json)$/,
};
const CREATE = findTarget('/v1', 'createListing');
const IMPORT = findTarget('/v1', 'createImport');
const JSON_TYPE = { 'Content-Type': 'application/json' };
const GOOD_ROW = '{"address":"the last one","beds":1,"baths":1}';

/** Each case fails or succeeds as expected, also as a line of a file. */
export async function tryJson(world: World, tally: Tally, share: number): Promise<string[]> {
  const caller = new Caller(world.url, tally);
  const fates: string[] = [];
  for (const each of jsonCases().filter((_, index) => index % share === 0)) {
    const headers = { ...world.callers.key, ...JSON_TYPE };
    const { status, text } = await caller.ask(CREATE, 'POST', '/v1/listings', headers, each.body);
    const { code = '', offset } = JSON.parse(text).error ?? {};
    fates.push(`${each.what} ${status} ${code} ${offset}`);
    assert.match(`${status} ${code}`, FATES[each.fate], `${each.what} is ${each.fate}: ${text}`);
    if (code === 'invalid_json') {
      assert.ok(Number.isInteger(offset) && offset >= 0 && offset <= each.body.length, `${each.what} at ${offset}`);
    }
    if (isLine(each)) fates.push(await importLine(each, world, caller));
  }
  return fates;
}

/** A line break or a blank line would change the number of rows. */
function isLine({ body }: JsonCase): boolean {
  const text = Buffer.from(body).toString('latin1');
  return text.trim() !== '' && !text.startsWith('\x1f\x8b') && !/[\r\n]/.test(text) && !text.startsWith('\xef\xbb');
}

/** A broken row affects only itself. */
async function importLine({ what, body, fate }: JsonCase, world: World, caller: Caller): Promise<string> {
  const headers = { ...world.callers.key, 'Content-Type': 'application/x-ndjson' };
  const file = Buffer.concat([body, Buffer.from(`\n${GOOD_ROW}\n`)]);
  const { status, text } = await caller.ask(IMPORT, 'POST', '/v1/imports?dryRun=true', headers, Uint8Array.from(file));
  assert.equal(status, 200, `${what} as a line: ${text}`);
  const { created, failed, errors } = JSON.parse(text);
  const expected = fate === 'taken' ? [2, 0] : [1, 1];
  assert.deepEqual([created, failed], expected, `${what} as a line: ${text}`);
  return `line ${errors[0]?.code ?? ''}`;
}
