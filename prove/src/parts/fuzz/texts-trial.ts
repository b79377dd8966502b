import assert from 'node:assert/strict';
import type { Told } from '../../../../server/test/support/openapi.ts';
import type { World } from './accounts.ts';
import { findTarget, type Target } from './api.ts';
import { Caller } from './caller.ts';
import type { Tally } from './tally.ts';
import { fateOf, type Place, TEXTS, textsAround } from './texts.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const isDots = (text: string) => text === '.' || text === '..';

/** The texts of a listing, by the path that names them when they are refused. */
const PLACES: Record<string, Place> = {
  address: { lengthMax: 255 },
  unitNumber: { lengthMax: 25 },
  city: { lengthMax: 50 },
  stateOrProvince: { lengthMax: 50 },
  postalCode: { lengthMax: 10 },
  externalId: { lengthMax: 255, isRefused: isDots },
  description: { lengthMax: 4_000, isMultiline: true },
  'photos[0].caption': { lengthMax: 200, isMultiline: true },
  'metadata.note': { lengthMax: 500, isRaw: true },
};
/** The texts that people type in the dashboard. */
const TYPED: [operationId: string, field: string, others: object][] = [
  ['createApiKey', 'name', {}],
  ['updateAccount', 'name', {}],
  ['changeName', 'name', {}],
];
const NAME: Place = { lengthMax: 100 };
/** What takes any text and knows none of these. */
const UNKNOWN: [operationId: string, field: string, outcome: RegExp][] = [
  ['previewInvitation', 'token', /^(404 not_found|422 validation_failed)$/],
  ['chooseAccount', 'accountId', /^404 not_found$/],
  ['endSession', 'id', /^404 not_found$/],
  ['verifyTotp', 'code', /^(409 conflict|422 validation_failed)$/],
  ['verifyBackupCode', 'code', /^(409 conflict|422 validation_failed)$/],
];
const EXTRACT = ['address', 'unitNumber', 'city', 'stateOrProvince', 'postalCode', 'description', 'photos', 'metadata'];

/** What an export must guard, and a second time if it is guarded already. */
const ALWAYS = new Set(['=1+1', "'=1"]);

/** Every text in every place, on one engine. */
export class TextsTrial {
  readonly #world: World;
  readonly #caller: Caller;
  /** What became of each text, for the comparison of engines. */
  readonly fates: string[] = [];
  texts = 0;

  constructor(world: World, tally: Tally) {
    this.#world = world;
    this.#caller = new Caller(world.url, tally);
  }

  get history(): string {
    return this.#caller.history;
  }

  /** One of each `share` texts. */
  async run(share: number): Promise<void> {
    const lengths = [...new Set([...Object.values(PLACES), NAME].map(({ lengthMax }) => lengthMax))];
    const all = [...Object.values(TEXTS).flat(), ...lengths.flatMap(textsAround)];
    for (const text of all.filter((each, index) => index % share === 0 || ALWAYS.has(each))) {
      this.texts += 1;
      await this.#put(text);
      const names = await this.#store(text);
      await this.#find(text, names);
      await this.#type(text);
      await this.#ask(text);
    }
    await this.#readBack();
  }

  /** All places at once, of which each that is at fault is named; then those that are not. */
  async #store(text: string): Promise<string[]> {
    const fates = Object.entries(PLACES).map(([name, place]) => ({ name, fate: fateOf(text, place) }));
    const first = await this.#write('POST', '/v1/listings', listingOf(text, Object.keys(PLACES)));
    const refused = fates.filter(({ fate }) => 'codes' in fate);
    const told = new Map(faultsOf(first).map(({ field, code }) => [field, code]));
    this.fates.push(JSON.stringify([first.status, [...told]]));
    assert.deepEqual(
      [...told.keys()].sort(),
      refused.map(({ name }) => name).sort(),
      `${show(text)} is refused in other places`,
    );
    for (const { name, fate } of refused) {
      assert.ok(
        'codes' in fate && fate.codes.includes(told.get(name) ?? ''),
        `${show(text)} in ${name}: ${told.get(name)}`,
      );
    }
    const good = fates.filter(({ fate }) => 'stored' in fate).map(({ name }) => name);
    const stored = refused.length === 0 ? first : await this.#write('POST', '/v1/listings', listingOf(text, good));
    assert.equal(stored.status, 201, `${show(text)}: ${stored.text}`);
    const listing = JSON.parse(stored.text);
    for (const { name, fate } of fates) {
      if ('stored' in fate) assert.equal(valueAt(listing, name), fate.stored, `${show(text)} in ${name}`);
    }
    const path = `/v1/listings/${listing.id}`;
    assert.equal((await this.#read(path)).text, stored.text, `${show(text)} reads back otherwise`);
    return good;
  }

  /** By its text the listing is found, and by no text that is refused. */
  async #find(text: string, good: string[]): Promise<void> {
    if (!fitsAddress(text)) return;
    for (const name of ['city', 'postalCode', 'externalId']) {
      const { status, text: body } = await this.#read(`/v1/listings?${name}=${encodeURIComponent(text)}`);
      this.fates.push(`${name} ${status}`);
      assert.equal(status, good.includes(name) ? 200 : 400, `${show(text)} as ${name}: ${body}`);
      if (status === 200) assert.ok(JSON.parse(body).data.length > 0, `${show(text)} is not found as ${name}`);
    }
    const words = await this.#read(`/v1/listings?fields=address&q=${encodeURIComponent(text)}`);
    this.fates.push(`q ${words.status} ${words.status === 200 ? JSON.parse(words.text).data.length : ''}`);
    for (const name of ['cursor', 'epoch', 'bbox', 'near', 'sort', 'createdAt[gt]']) {
      const target = name === 'epoch' ? EVENTS : LIST;
      const { status } = await this.#caller.ask(
        target,
        'GET',
        `/v1${target.operation.path}?${encodeURIComponent(name)}=${encodeURIComponent(text)}`,
        this.#world.callers.key,
      );
      this.fates.push(`${name} ${status}`);
      assert.ok(status === 400 || (name === 'epoch' && status === 410), `${show(text)} as ${name}: ${status}`);
    }
  }

  /** As an id, as a header, and in the path. */
  async #ask(text: string): Promise<void> {
    if (!fitsAddress(text) || text === '') return;
    const { callers } = this.#world;
    if (!isDots(text)) {
      const { status } = await this.#caller.ask(
        RETRIEVE,
        'GET',
        `/v1/listings/${encodeURIComponent(text)}`,
        callers.key,
      );
      assert.equal(status, 404, `${show(text)} as an id`);
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return;
    const key = /^"(.*)"$/.exec(text.trim())?.[1] ?? text.trim();
    const headers = { ...callers.key, ...JSON_TYPE, 'Idempotency-Key': text };
    const { status } = await this.#caller.ask(CREATE, 'POST', '/v1/listings', headers, '{}');
    assert.equal(status, /^[\x21-\x7e]{1,255}$/.test(key) ? 422 : 400, `${show(text)} as an Idempotency-Key`);
    await this.#caller.ask(ME, 'GET', '/v1/me', { ...callers.key, 'X-Request-Id': text });
  }

  /** In the path that names a listing by the caller's own id, which is free again afterwards. */
  async #put(text: string): Promise<void> {
    if (!fitsAddress(text) || text === '' || isDots(text)) return;
    const fate = fateOf(text, PLACES.externalId ?? NAME);
    const path = `/v1/listings/external/${encodeURIComponent(text)}`;
    const told = await this.#write('PUT', path, { address: 'Elm', beds: 1, baths: 1 });
    this.fates.push(`put ${told.status}`);
    if ('codes' in fate) {
      assert.equal(told.status, 422, `${show(text)} in a path: ${told.text}`);
      return;
    }
    assert.ok(told.status < 300, `${show(text)} in a path: ${told.text}`);
    assert.equal(JSON.parse(told.text).externalId, fate.stored);
    const { text: read } = await this.#caller.ask(RETRIEVE_EXTERNAL, 'GET', path, this.#world.callers.key);
    assert.equal(read, told.text);
    const { status } = await this.#caller.ask(DELETE_EXTERNAL, 'DELETE', path, this.#world.callers.key);
    assert.equal(status, 204, `${show(text)} in a path`);
  }

  /** What a person types. */
  async #type(text: string): Promise<void> {
    const fate = fateOf(text, NAME);
    for (const [operationId, field, others] of TYPED) {
      const told = await this.#typeIn(operationId, { ...others, [field]: text });
      const codes = faultsOf(told).map(({ code }) => code);
      this.fates.push(`${operationId} ${told.status} ${codes}`);
      if ('codes' in fate)
        assert.ok(fate.codes.includes(codes[0] ?? ''), `${show(text)} in ${operationId}: ${told.text}`);
      else assert.equal(nameIn(operationId, told), fate.stored, `${show(text)} in ${operationId}`);
      if (operationId === 'createApiKey' && told.status === 201) await this.#deleteKey(JSON.parse(told.text).id);
    }
    for (const [operationId, field, outcome] of UNKNOWN) {
      const told = await this.#typeIn(operationId, { [field]: text });
      const is = `${told.status} ${JSON.parse(told.text).error?.code}`;
      this.fates.push(`${operationId} ${is}`);
      assert.match(is, outcome, `${show(text)} in ${operationId}: ${told.text}`);
    }
    await this.#typeIn('createInvitation', { email: text, role: 'owner' });
  }

  async #deleteKey(id: string): Promise<void> {
    const target = findTarget('/admin', 'deleteApiKey');
    await this.#caller.ask(target, 'DELETE', `/admin/api-keys/${id}`, this.#world.callers.administrator);
  }

  #typeIn(operationId: string, body: object): Promise<Told> {
    const target = findTarget('/admin', operationId);
    const { method, path } = target.operation;
    const headers = { ...this.#world.callers.administrator, ...JSON_TYPE };
    return this.#caller.ask(target, method.toUpperCase(), `/admin${path}`, headers, JSON.stringify(body));
  }

  /** The same in every format, and export, then import, changes nothing: here, and in another account. */
  async #readBack(): Promise<void> {
    const list = JSON.parse((await this.#read('/v1/listings')).text);
    const lines = (await this.#read('/v1/listings', 'application/x-ndjson')).text.trimEnd().split('\n');
    assert.deepEqual(
      lines.slice(0, -1).map((line) => JSON.parse(line)),
      list.data,
      'NDJSON has other listings than JSON',
    );
    const features = JSON.parse((await this.#read('/v1/listings', 'application/geo+json')).text).features;
    assert.deepEqual(
      features.map((feature: { properties: unknown }) => feature.properties),
      list.data,
      'GeoJSON differs',
    );
    for (const type of ['text/csv', 'application/x-ndjson']) {
      const report = await this.#import(type, (await this.#read('/v1/listings', type)).text);
      assert.deepEqual(report, { ...EMPTY, unchanged: list.data.length }, `export, then import, as ${type}`);
    }
    await this.#moveByCsv(list.data);
  }

  /** A file without ids makes new listings with the same texts, once the old ones are gone. */
  async #moveByCsv(before: Record<string, unknown>[]): Promise<void> {
    const fields = ['externalId', 'beds', 'baths', ...EXTRACT];
    const file = (await this.#read(`/v1/listings?fields=${fields}`, 'text/csv')).text;
    for (const { id } of before)
      await this.#caller.ask(DELETE, 'DELETE', `/v1/listings/${id}`, this.#world.callers.key);
    assert.deepEqual(await this.#import('text/csv', file), { ...EMPTY, created: before.length });
    const after: Record<string, unknown>[] = JSON.parse((await this.#read('/v1/listings')).text).data;
    const contents = (all: Record<string, unknown>[]) =>
      all.map((each) => JSON.stringify(fields.map((name) => each[name])));
    assert.deepEqual(contents(after), contents(before).reverse(), 'a CSV has carried other texts than were exported');
  }

  async #import(type: string, body: string): Promise<object> {
    const headers = { ...this.#world.callers.key, 'Content-Type': type };
    const { status, text } = await this.#caller.ask(IMPORT, 'POST', '/v1/imports', headers, body);
    assert.equal(status, 200, text);
    return JSON.parse(text);
  }

  #read(path: string, accept = 'application/json'): Promise<Told> {
    const target = path.startsWith('/v1/listings/') ? RETRIEVE : LIST;
    return this.#caller.ask(target, 'GET', path, { ...this.#world.callers.key, Accept: accept });
  }

  #write(method: 'POST' | 'PUT', path: string, body: object): Promise<Told> {
    const headers = { ...this.#world.callers.key, ...JSON_TYPE };
    return this.#caller.ask(method === 'POST' ? CREATE : PUT, method, path, headers, JSON.stringify(body));
  }
}

const LIST: Target = findTarget('/v1', 'listListings');
const EVENTS = findTarget('/v1', 'listEvents');
const CREATE = findTarget('/v1', 'createListing');
const RETRIEVE = findTarget('/v1', 'retrieveListing');
const RETRIEVE_EXTERNAL = findTarget('/v1', 'retrieveListingByExternalId');
const DELETE_EXTERNAL = findTarget('/v1', 'deleteListingByExternalId');
const PUT = findTarget('/v1', 'upsertListing');
const DELETE = findTarget('/v1', 'deleteListing');
const IMPORT = findTarget('/v1', 'createImport');
const ME = findTarget('/v1', 'retrieveMe');
const EMPTY = { created: 0, updated: 0, unchanged: 0, failed: 0, errors: [] };

/** Half characters cannot be sent, and what is beyond 16 KiB is refused whatever it says. */
function fitsAddress(text: string): boolean {
  return text.isWellFormed() && encodeURIComponent(text).length < ADDRESS_LENGTH_MAX;
}

const ADDRESS_LENGTH_MAX = 15_000;

/** A listing that has the text in these places. */
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

function faultsOf({ status, text }: Told): { field: string; code: string }[] {
  return status === 422 ? (JSON.parse(text).error.details ?? []) : [];
}

function nameIn(operationId: string, { text }: Told): unknown {
  const value = JSON.parse(text);
  return operationId === 'changeName' ? value.user.name : value.name;
}

function show(text: string): string {
  const escaped = JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return escaped.length > 80 ? `${escaped.slice(0, 80)}… (${[...text].length})` : escaped;
}
