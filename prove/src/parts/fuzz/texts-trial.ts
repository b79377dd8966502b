import assert from 'node:assert/strict';
import type { World } from './accounts.ts';
import { findTarget, type Tally } from './caller.ts';
import { TEXTS, TextsDesk, textsAround } from './texts-desk.ts';
import {
  askByText,
  askWithText,
  findByText,
  MEMBER,
  PLACES,
  putByText,
  storeForms,
  storeText,
} from './texts-listings.ts';
import { NAME, typeText } from './texts-people.ts';

/** Strings that the small form always includes: a formula, and an escaped formula. */
const ALWAYS = new Set(['=1+1', "'=1"]);

/** Tries one in `share` strings. @returns the outcomes */
export async function tryEachText(world: World, tally: Tally, share: number): Promise<readonly string[]> {
  const desk = new TextsDesk(world, tally);
  const lengths = [...new Set([...Object.values(PLACES), NAME, MEMBER].map(({ lengthMax }) => lengthMax))];
  const all = [...TEXTS, ...lengths.flatMap(textsAround)];
  const some = all.filter((each, index) => index % share === 0 || ALWAYS.has(each));
  for (const [index, text] of some.entries()) {
    await putByText(desk, text);
    const names = await storeText(desk, text);
    await storeForms(desk, text);
    await findByText(desk, text, names);
    await askByText(desk, text);
    await typeText(desk, text, index);
    await askWithText(desk, text);
  }
  await readBack(desk);
  return desk.fates;
}

const DELETE = findTarget('/v1', 'deleteListing');
const IMPORT = findTarget('/v1', 'createImport');
const EMPTY = { created: 0, updated: 0, unchanged: 0, failed: 0, repeated: 0, cleaned: 0, errors: [] };

const EXTRACT = ['address', 'unitNumber', 'city', 'stateOrProvince', 'postalCode', 'description', 'photos', 'metadata'];

/** Checks that all formats contain the same listings, and that importing an export changes nothing. */
async function readBack(desk: TextsDesk): Promise<void> {
  const list = JSON.parse((await desk.read('/v1/listings')).text);
  const lines = (await desk.read('/v1/listings', 'application/x-ndjson')).text.trimEnd().split('\n').slice(0, -1);
  assert.deepEqual(JSON.parse(`[${lines}]`), list.data, 'NDJSON and JSON have different listings');
  const { features } = JSON.parse((await desk.read('/v1/listings', 'application/geo+json')).text);
  const properties = features.map((feature: { properties: unknown }) => feature.properties);
  assert.deepEqual(properties, list.data, 'GeoJSON and JSON have different listings');
  for (const type of ['text/csv', 'application/x-ndjson']) {
    const report = await importFile(desk, type, (await desk.read('/v1/listings', type)).text);
    assert.deepEqual(report, { ...EMPTY, unchanged: list.data.length }, `export, then import, as ${type}`);
  }
  await moveByCsv(desk, list.data);
}

async function moveByCsv(desk: TextsDesk, before: Record<string, unknown>[]): Promise<void> {
  const fields = ['externalId', 'beds', 'baths', ...EXTRACT];
  const file = (await desk.read(`/v1/listings?fields=${fields}`, 'text/csv')).text;
  for (const { id } of before) await desk.ask(DELETE, 'DELETE', `/v1/listings/${id}`, desk.world.callers.key);
  assert.deepEqual(await importFile(desk, 'text/csv', file), { ...EMPTY, created: before.length });
  const after: Record<string, unknown>[] = JSON.parse((await desk.read('/v1/listings')).text).data;
  const contents = (all: Record<string, unknown>[]) =>
    all.map((each) => JSON.stringify(fields.map((name) => each[name])));
  assert.deepEqual(contents(after), contents(before).reverse(), 'a CSV import differs from its export');
}

async function importFile(desk: TextsDesk, type: string, body: string): Promise<object> {
  const headers = { ...desk.world.callers.key, 'Content-Type': type };
  const { status, text } = await desk.ask(IMPORT, 'POST', '/v1/imports', headers, body);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}
