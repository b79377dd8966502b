import fc from 'fast-check';
import { PROPERTY_TYPES, STATUSES } from '../../server/src/model/listings.ts';

// Values that engines may treat differently. There are only a few of each kind, so that they collide.

/** Generates `value` once in `times`, otherwise `nothing`. */
export function seldom<T, N>(times: number, value: fc.Arbitrary<T>, nothing: N): fc.Arbitrary<T | N> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(nothing) }, { weight: 1, arbitrary: value });
}

/** Generates numbers in spellings that `JSON.stringify` would change. */
const written = (...numbers: string[]) => fc.constantFrom(...numbers.map((number) => `#${number}#`));

/** Returns JSON in which numbers keep their `written` spelling. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"#([^"#]*)#"/g, '$1');
}

const LONG_WORD = 'w'.repeat(600);
const TEXTS = 'Elm Street 12|élan|e\u0301lan|Straße 5½|ΟΔΟΣ.ΑΒ|東京都 港区|İzmir ǅ ﬁ|😀 a\u{10ffff}'.split('|');
const SYNTAX = ["'; drop table listings; --", 'a\\b "c"', "a & b | !c:* <-> 'd'", '=1+1', 'a,b', '%_%', '$1 ?', 'null'];
const TRIMMED = ['  Elm  ', '\u00a0Elm\u3000', '\uffff', '\ufeffElm'];
const REFUSED = ['a\0b', '\0', '', ' ', '\ud800', 'a\u0007', 'x'.repeat(256)];
const LINES = ['Elm\nStreet', 'tab\there', LONG_WORD, `${LONG_WORD}x`, `${'w '.repeat(1900)}end`, '5 5½ ٣ Ⅷ x'];

const text = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 5, arbitrary: fc.constantFrom(...SYNTAX) },
  { weight: 2, arbitrary: fc.constantFrom(...TRIMMED) },
);
const badNumber = written('-1', '2.5', '1e400', '1000', '9007199254740993', '0.001', '1e-9', '-1e-20');
const bad = fc.oneof(fc.constantFrom(...REFUSED), badNumber, fc.constantFrom('3', true, [], {}, null));

export const EXTERNAL_IDS = ['a', 'A', 'b/c', 'ü d', 'u\u0308 d', "'e", '%', '日本', 'ｅ', 'é', 'é\uffff'];
export const CITIES = "Austin|austin|AUSTIN!|São Paulo|Sa\u0303o Paulo|Łódź|東京|d'Arc|Zürich|Ångström".split('|');
export const STATES = ['TX', 'tx', 'Ťx', '-', '—', '!', 'N.-Westf.'];
export const DATES = ['2026-11-22', '2026-02-28', '0000-01-01', '9999-12-31'];
export const PRICES = ['0.01', '0.1', '0.30', '450000', '450000.5', '4.5e5', '123456789.12', '999999999999.99'];
export const AREAS = ['50', '50.5', '50.50', '1200', '0.07', '99999999.99'];
export const LATITUDES = ['-0', '0', '90', '-90', '30.2672', '30.26720001', '1e-8', '-33.9'];
export const LONGITUDES = ['-0.0', '0', '180', '-180', '-97.7431', '-97.74310001', '1e-8', '151.2'];

const metadataValue = fc.oneof(fc.constantFrom('x', '', 'é', true), written('-0', '1e15', '0.1', '3.0', '1E2'));
const metadata = fc.dictionary(fc.constantFrom('m', 'n', 'é', '2', '1'), metadataValue, {
  maxKeys: 3,
  noNullPrototype: true,
});
const url = fc.constantFrom('https://example.com/1.jpg', 'https://example.com/é?a=1');
const photo = fc.record({ url, caption: text }, { requiredKeys: ['url'], noNullPrototype: true });

const values = {
  address: text,
  beds: fc.oneof(fc.nat(4), written('-0', '3.0', '2e0')),
  baths: fc.nat(3),
  externalId: fc.constantFrom(...EXTERNAL_IDS),
  status: fc.constantFrom(...STATUSES.slice(0, 4)),
  propertyType: fc.constantFrom(...PROPERTY_TYPES.slice(0, 3)),
  unitNumber: fc.constantFrom('4b', '#4-B', 'É'),
  city: fc.constantFrom(...CITIES),
  stateOrProvince: fc.constantFrom(...STATES),
  postalCode: fc.constantFrom('78701', '00701', 'SW1A 1AA'),
  country: fc.constantFrom('US', 'DE'),
  listPrice: written(...PRICES),
  closePrice: written(...PRICES.slice(0, 4)),
  livingArea: written(...AREAS),
  lotSizeArea: written('0.0001', '0.25', '43560'),
  yearBuilt: fc.constantFrom(1900, 1990, 2031),
  onMarketDate: fc.constantFrom(...DATES),
  closeDate: fc.constantFrom(...DATES),
  description: fc.oneof(text, fc.constantFrom(...LINES)),
  photos: fc.array(photo, { maxLength: 2 }),
  metadata,
};
const place = fc.record({ latitude: written(...LATITUDES), longitude: written(...LONGITUDES) });

const fault = fc.oneof(
  fc
    .tuple(fc.constantFrom('address', 'beds', 'listPrice', 'city', 'externalId', 'photos', 'colour', 'id'), bad)
    .map(([name, value]) => ({ [name]: value })),
  fc.constantFrom<object>(
    { currency: 'EUR' },
    { yearBuilt: 2032 },
    { closeDate: '2026-02-29' },
    { feed: 'mls' },
    { metadata: { m: null } },
    { latitude: 1 },
  ),
);

function listing(requiredKeys: (keyof typeof values)[]) {
  return fc
    .tuple(fc.record(values, { requiredKeys, noNullPrototype: true }), seldom(2, place, {}), seldom(12, fault, {}))
    .map(([given, where, faults]) => ({ ...given, ...where, ...faults }));
}

/** Generates listings, most of which are valid. */
export const fields: fc.Arbitrary<object> = listing(['address', 'beds', 'baths']);

const removed = fc
  .constantFrom('description', 'listPrice', 'closePrice', 'onMarketDate', 'metadata', 'externalId', 'status', 'address')
  .map((name) => ({ [name]: null }));

export const patch: fc.Arbitrary<object> = fc
  .tuple(
    fc.tuple(listing([]), fc.nat(30)).map(([given, at]) => some(given, at)),
    seldom(4, removed, {}),
  )
  .map(([given, nulls]) => ({ ...given, ...nulls }));

function some(given: object, at: number): object {
  const entries = Object.entries(given);
  if (at % 5 === 0) return given;
  const start = at % Math.max(1, entries.length);
  return Object.fromEntries(entries.slice(start, start + 2));
}
