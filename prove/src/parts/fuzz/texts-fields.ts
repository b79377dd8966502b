import assert from 'node:assert/strict';
import { findTarget } from './api.ts';
import { type Fate, fateOf, isDots, type Place } from './texts.ts';
import { faultsOf, fitsAddress, show, type TextsDesk } from './texts-desk.ts';

const RETRIEVE_EXTERNAL = findTarget('/v1', 'retrieveListingByExternalId');
const DELETE_EXTERNAL = findTarget('/v1', 'deleteListingByExternalId');

const EXTERNAL_ID: Place = { lengthMax: 255, isRefused: isDots };
const ADDRESS = 'https://example.com/';
/** A URL with the text in its path. The text alone is not a URL. */
const URL_PATH: Place = { lengthMax: 2_000 };
const URL: Place = { lengthMax: 2_000, isRefused: () => true };
/** A name in `metadata`. */
export const MEMBER: Place = { lengthMax: 40, isRefused: (text) => text === '__proto__' };

/** Text fields of a listing, by the path in `details`. */
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
/** The text in all fields at once, then only where it is valid. */
export async function storeText(desk: TextsDesk, text: string): Promise<string[]> {
  const fates = Object.entries(PLACES).map(([name, place]) => ({ name, fate: fateOf(text, place) }));
  const first = await desk.write('POST', '/v1/listings', listingOf(text, Object.keys(PLACES)));
  const refused = fates.filter(({ fate }) => 'codes' in fate);
  const told = new Map(faultsOf(first).map(({ field, code }) => [field, code]));
  desk.fates.push(JSON.stringify([first.status, [...told]]));
  const due = refused.map(({ name }) => name).sort();
  assert.deepEqual([...told.keys()].sort(), due, `${show(text)} is refused in other places`);
  for (const { name, fate } of refused) {
    const isRight = 'codes' in fate && fate.codes.includes(told.get(name) ?? '');
    assert.ok(isRight, `${show(text)} in ${name}: ${told.get(name)}`);
  }
  const good = fates.filter(({ fate }) => 'stored' in fate).map(({ name }) => name);
  const stored = refused.length === 0 ? first : await desk.write('POST', '/v1/listings', listingOf(text, good));
  assert.equal(stored.status, 201, `${show(text)}: ${stored.text}`);
  const listing = JSON.parse(stored.text);
  for (const { name, fate } of fates) {
    if ('stored' in fate) assert.equal(valueAt(listing, name), fate.stored, `${show(text)} in ${name}`);
  }
  const path = `/v1/listings/${listing.id}`;
  assert.equal((await desk.read(path)).text, stored.text, `${show(text)} reads back otherwise`);
  return good;
}

/** Fields with a format: a name in `metadata`, and a photo's URL. */
export async function storeForms(desk: TextsDesk, text: string): Promise<void> {
  const name = fateOf(text, MEMBER);
  const named = await storeOne(desk, { text, place: 'metadata', fate: name }, { metadata: { [text]: 'x' } });
  if ('stored' in name) assert.deepEqual(Object.keys(named.metadata), [name.stored], `${show(text)} as a name`);
  for (const [url, place] of [
    [ADDRESS + text, URL_PATH],
    [text, URL],
  ] as const) {
    const fate = fateOf(url, place);
    const listing = await storeOne(desk, { text: url, place: 'photos[0].url', fate }, { photos: [{ url }] });
    if ('stored' in fate) assert.deepEqual(listing.photos, [{ url: fate.stored }], `${show(url)} as an address`);
  }
}

async function storeOne(
  desk: TextsDesk,
  { text, place, fate }: { text: string; place: string; fate: Fate },
  given: object,
) {
  const told = await desk.write('POST', '/v1/listings', { address: 'Elm', beds: 1, baths: 1, ...given });
  const [fault, ...more] = faultsOf(told);
  desk.fates.push(`${place} ${told.status} ${fault?.code}`);
  const what = `${show(text)} in ${place}: ${told.status} ${told.text.slice(0, 300)}`;
  assert.deepEqual(more, [], what);
  assert.equal(told.status, 'codes' in fate ? 422 : 201, what);
  if ('codes' in fate) assert.ok(fault?.field.startsWith(place) && fate.codes.includes(fault.code), what);
  return JSON.parse(told.text);
}

/** As an external id in the path; the listing is deleted afterwards. */
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

function valueAt(listing: { photos?: { caption?: string }[]; metadata?: { note?: string } }, name: string): unknown {
  if (name === 'photos[0].caption') return listing.photos?.[0]?.caption;
  return name === 'metadata.note' ? listing.metadata?.note : Object(listing)[name];
}
