import assert from 'node:assert/strict';
import { findTarget, JSON_TYPE } from './caller.ts';
import {
  CREATE,
  type Fate,
  fateOf,
  faultsOf,
  fitsAddress,
  isDots,
  type Place,
  RETRIEVE,
  show,
  type TextsDesk,
} from './texts-desk.ts';

const RETRIEVE_EXTERNAL = findTarget('/v1', 'retrieveListingByExternalId');
const DELETE_EXTERNAL = findTarget('/v1', 'deleteListingByExternalId');

const EXTERNAL_ID: Place = { lengthMax: 255, isRefused: isDots };
const ADDRESS = 'https://example.com/';
/** The rules for a URL with the string in its path. */
const URL_PATH: Place = { lengthMax: 2_000 };
/** The rules for the string alone, which is not a valid URL. */
const URL: Place = { lengthMax: 2_000, isRefused: () => true };
/** A name in `metadata`. */
export const MEMBER: Place = { lengthMax: 40, isRefused: (text) => text === '__proto__' };

/** The string fields of a listing, by their paths in an error's `details`. */
export const PLACES: Record<string, Place> = {
  address: { lengthMax: 255 },
  unitNumber: { lengthMax: 25 },
  city: { lengthMax: 50 },
  stateOrProvince: { lengthMax: 50 },
  postalCode: { lengthMax: 10 },
  externalId: EXTERNAL_ID,
  description: { lengthMax: 4_000, isMultiline: true },
  'photos[0].caption': { lengthMax: 200, isMultiline: true },
  'metadata.note': { lengthMax: 500, isRaw: true },
};
/** Sends the string in all fields at once, then only in those where it is valid. */
export async function storeText(desk: TextsDesk, text: string): Promise<string[]> {
  const fates = Object.entries(PLACES).map(([name, place]) => ({ name, fate: fateOf(text, place) }));
  const first = await desk.write('POST', '/v1/listings', listingOf(text, Object.keys(PLACES)));
  const refused = fates.filter(({ fate }) => 'codes' in fate);
  const told = new Map(faultsOf(first).map(({ field, code }) => [field, code]));
  desk.fates.push(JSON.stringify([first.status, [...told]]));
  const due = refused.map(({ name }) => name).sort();
  assert.deepEqual([...told.keys()].sort(), due, `${show(text)} is rejected in the wrong fields`);
  for (const { name, fate } of refused) {
    const isRight = 'codes' in fate && fate.codes.includes(told.get(name) ?? '');
    assert.ok(isRight, `${show(text)} in ${name} gets the wrong error code: ${told.get(name)}`);
  }
  const good = fates.filter(({ fate }) => 'stored' in fate).map(({ name }) => name);
  const stored = refused.length === 0 ? first : await desk.write('POST', '/v1/listings', listingOf(text, good));
  assert.equal(stored.status, 201, `${show(text)}: ${stored.text}`);
  const listing = JSON.parse(stored.text);
  for (const { name, fate } of fates) {
    const value = name.split(/[.[\]]+/).reduce((whole, each) => Object(whole)[each], listing);
    if ('stored' in fate) assert.equal(value, fate.stored, `${show(text)} in ${name}`);
  }
  const path = `/v1/listings/${listing.id}`;
  assert.equal((await desk.read(path)).text, stored.text, `${show(text)} differs when it is read back`);
  return good;
}

/** Sends the string as a name in `metadata` and as a photo's URL. */
export async function storeForms(desk: TextsDesk, text: string): Promise<void> {
  const name = fateOf(text, MEMBER);
  const named = await storeOne(desk, text, 'metadata', name, { metadata: { [text]: 'x' } });
  if ('stored' in name) assert.deepEqual(Object.keys(named.metadata), [name.stored], `${show(text)} as a name`);
  for (const [url, place] of [
    [ADDRESS + text, URL_PATH],
    [text, URL],
  ] as const) {
    const fate = fateOf(url, place);
    const listing = await storeOne(desk, url, 'photos[0].url', fate, { photos: [{ url }] });
    if ('stored' in fate) assert.deepEqual(listing.photos, [{ url: fate.stored }], `${show(url)} as a URL`);
  }
}

async function storeOne(desk: TextsDesk, text: string, place: string, fate: Fate, given: object) {
  const told = await desk.write('POST', '/v1/listings', { address: 'Elm', beds: 1, baths: 1, ...given });
  const [fault, ...more] = faultsOf(told);
  desk.fates.push(`${place} ${told.status} ${fault?.code}`);
  const what = `${show(text)} in ${place}: ${told.status} ${told.text.slice(0, 300)}`;
  assert.deepEqual(more, [], what);
  assert.equal(told.status, 'codes' in fate ? 422 : 201, what);
  if ('codes' in fate) assert.ok(fault?.field.startsWith(place) && fate.codes.includes(fault.code), what);
  return JSON.parse(told.text);
}

export async function putByText(desk: TextsDesk, text: string): Promise<void> {
  if (!fitsAddress(text) || text === '' || isDots(text)) return;
  const fate = fateOf(text, EXTERNAL_ID);
  const path = `/v1/listings/external/${encodeURIComponent(text)}`;
  const told = await desk.write('PUT', path, { address: 'Elm', beds: 1, baths: 1 });
  desk.fates.push(`put ${told.status}`);
  if ('codes' in fate) {
    assert.equal(told.status, 422, `${show(text)} in a path: ${told.text}`);
    return;
  }
  assert.ok(told.status < 300, `${show(text)} in a path: ${told.text}`);
  assert.equal(JSON.parse(told.text).externalId, fate.stored);
  const { text: read } = await desk.ask(RETRIEVE_EXTERNAL, 'GET', path, desk.world.callers.key);
  assert.equal(read, told.text);
  const { status } = await desk.ask(DELETE_EXTERNAL, 'DELETE', path, desk.world.callers.key);
  assert.equal(status, 204, `${show(text)} in a path`);
}

function listingOf(text: string, names: string[]): object {
  const given = Object.fromEntries(names.filter((name) => !/[.[]/.test(name)).map((name) => [name, text]));
  return {
    address: 'Elm Street 12',
    beds: 1,
    baths: 1,
    ...given,
    ...(names.includes('photos[0].caption') && { photos: [{ url: 'https://example.com/1.jpg', caption: text }] }),
    ...(names.includes('metadata.note') && { metadata: { note: text } }),
  };
}

const LIST = findTarget('/v1', 'listListings');
const EVENTS = findTarget('/v1', 'listEvents');
const ME = findTarget('/v1', 'retrieveMe');

/** A parameter, the statuses that a string can cause, and a further parameter that is required. */
type Parameter = [name: string, statusesOf: (text: string) => number[], partner?: string];

const NEVER = () => [400];

/** Parameters of the list of listings that do not accept just any string. */
const OTHERS: Parameter[] = [
  ...['cursor', 'bbox', 'near', 'sort', 'createdAt[gt]', 'updatedAt[lte]', 'status', 'propertyType'].map(
    (name): Parameter => [name, NEVER],
  ),
  ['radius', NEVER, 'near=30,-97'],
  ['fields', (text) => [text === 'id' ? 200 : 400]],
  ['count', (text) => [text === 'true' ? 200 : 400]],
  ['limit', wholeNumber(1, 1_000)],
  ['beds', wholeNumber(0, 1e11)],
  ['yearBuilt[gte]', wholeNumber(0, 1e11)],
  ['listPrice[lt]', wholeNumber(0, 1e11)],
];
const OF_EVENTS: Parameter[] = [
  ['epoch', () => [400, 410]],
  ['after', wholeNumber(0, 1e11)],
  ['limit', wholeNumber(1, 1_000)],
  // With `after=0`, there is an event, so the request does not wait.
  ['wait', wholeNumber(0, 60), 'after=0'],
];

function wholeNumber(min: number, max: number): (text: string) => number[] {
  return (text) => [/^-?[0-9]+$/.test(text) && Number(text) >= min && Number(text) <= max ? 200 : 400];
}

/** Checks that a filter with a valid string finds its listing, and that an invalid string is rejected. */
export async function findByText(desk: TextsDesk, text: string, good: string[]): Promise<void> {
  if (!fitsAddress(text)) return;
  for (const name of ['city', 'postalCode', 'externalId']) {
    const { status, text: body } = await desk.read(`/v1/listings?${name}=${encodeURIComponent(text)}`);
    desk.fates.push(`${name} ${status}`);
    assert.equal(status, good.includes(name) ? 200 : 400, `${show(text)} as ${name}: ${body}`);
    if (status === 200) assert.ok(JSON.parse(body).data.length > 0, `${show(text)} is not found as ${name}`);
  }
  const words = await desk.read(`/v1/listings?fields=address&q=${encodeURIComponent(text)}`);
  desk.fates.push(`q ${words.status} ${words.status === 200 ? JSON.parse(words.text).data.length : ''}`);
}

export async function askByText(desk: TextsDesk, text: string): Promise<void> {
  if (!fitsAddress(text)) return;
  for (const [target, parameters] of [
    [LIST, OTHERS],
    [EVENTS, OF_EVENTS],
  ] as const) {
    for (const [name, statusesOf, partner] of parameters) {
      const query = `${encodeURIComponent(name)}=${encodeURIComponent(text)}${partner === undefined ? '' : `&${partner}`}`;
      const path = `/v1${target.operation.path}?${query}`;
      const { status, text: body } = await desk.ask(target, 'GET', path, desk.world.callers.key);
      desk.fates.push(`${name} ${status}`);
      assert.ok(statusesOf(text).includes(status), `${show(text)} as ${name}: ${status} ${body.slice(0, 200)}`);
    }
  }
}

export async function askWithText(desk: TextsDesk, text: string): Promise<void> {
  if (!fitsAddress(text) || text === '') return;
  const { callers } = desk.world;
  if (!isDots(text)) {
    const { status } = await desk.ask(RETRIEVE, 'GET', `/v1/listings/${encodeURIComponent(text)}`, callers.key);
    assert.equal(status, 404, `${show(text)} as an id`);
  }
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return;
  const key = /^"(.*)"$/.exec(text.trim())?.[1] ?? text.trim();
  const headers = { ...callers.key, ...JSON_TYPE, 'Idempotency-Key': text };
  const { status } = await desk.ask(CREATE, 'POST', '/v1/listings', headers, '{}');
  assert.equal(status, /^[\x21-\x7e]{1,255}$/.test(key) ? 422 : 400, `${show(text)} as an Idempotency-Key`);
  await desk.ask(ME, 'GET', '/v1/me', { ...callers.key, 'X-Request-Id': text });
}
