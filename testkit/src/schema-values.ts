import fc from 'fast-check';
import type { OpenApiDocument } from './openapi.ts';

export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
}

/** Only a few words, so that values collide. */
const WORDS = ['Elm Street 12', 'Austin', 'élan', 'a b', '東京', 'x', '=1+1', "d'Arc", '😀', 'Straße 5½', '  trimmed '];
const TEXT_LENGTH_MAX = 1_000;

/** Generators for fields with patterns, or with rules that the document states in prose. */
const BY_NAME: Record<string, fc.Arbitrary<unknown>> = {
  country: mostly(['US', 'DE', 'JP', 'BR'], ['QQ']),
  currency: mostly(['USD', 'EUR', 'JPY'], ['ABC', 'XXX']),
  externalId: mostly(['a', 'A', 'b/c', 'ü d', 'u\u0308 d', '%', '日本', "'e", '0', 'MLS-1', 'MLS-2'], ['..', '.']),
  yearBuilt: fc.integer({ min: 1000, max: 2031 }),
  listPrice: fc.oneof(fc.constantFrom(0.01, 450_000.5, 999_999_999_999.99), hundredths(1, 99_999_999)),
  closePrice: fc.oneof(fc.constantFrom(0.01, 445_000), hundredths(1, 99_999_999)),
  livingArea: hundredths(1, 500_000),
  lotSizeArea: mostly([0.0001, 0.25, 43_560], [1.23456]),
  onMarketDate: mostly(['2026-11-22', '2024-02-29'], ['2026-02-29', '22.11.2026']),
  closeDate: mostly(['2026-11-22', '9999-12-31'], ['2026-11-31', '']),
  latitude: hundredths(-9_000, 9_000),
  longitude: hundredths(-18_000, 18_000),
  url: mostly(['https://example.com/1.jpg', 'HTTPS://example.com/é ?a=1'], ['https://', 'http://example.com/']),
  email: fc.nat(9_999).map((number) => `person-${number}@example.com`),
  expiresAt: mostly(['2099-01-31T12:00:00Z', '2099-12-31T23:59:59.999+01:00', null], ['2001-01-01T00:00:00Z']),
};

function mostly<T>(good: readonly T[], bad: readonly T[], times = 40): fc.Arbitrary<T> {
  return mixed([times, fc.constantFrom(...good)], [1, fc.constantFrom(...bad)]);
}

function mixed<T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

function hundredths(min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min, max }).map((value) => value / 100);
}

/** Generates values that match a schema. A rule stated only in prose can still reject a few of them. */
export function valuesOf(given: Schema, document: OpenApiDocument): fc.Arbitrary<unknown> {
  const schema: Schema = document.schemaOf(given);
  if (schema.anyOf !== undefined) {
    const [first, ...others] = schema.anyOf.map((each) => valuesOf(each, document));
    if (first === undefined) throw new Error('an empty schema');
    return mixed([9, first], ...others.map((other): [number, fc.Arbitrary<unknown>] => [1, other]));
  }
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => valuesOf({ ...schema, type }, document)));
  switch (schema.type) {
    case 'object':
      return objectsOf(schema, document);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, document), { maxLength: 3 });
    case 'integer':
      return fc.oneof(fc.integer({ min: 0, max: 5 }), integersOf(schema));
    case 'number':
      return fc.oneof(hundredths(1, 99_999), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return textsOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function integersOf({ minimum = -10, maximum = 10_000 }: Schema): fc.Arbitrary<number> {
  return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31) }));
}

function textsOf({ maxLength = 300, format }: Schema): fc.Arbitrary<string> {
  if (format === 'password') return fc.string({ minLength: 8, maxLength: 30 });
  const lengthMax = Math.min(maxLength, TEXT_LENGTH_MAX);
  return mixed(
    [40, fc.constantFrom(...WORDS.filter((word) => word.length <= lengthMax))],
    [8, fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.ceil(lengthMax / 8) })],
    [1, fc.string({ unit: 'binary', maxLength: 10 })],
    [1, fc.constantFrom('x'.repeat(lengthMax), '😀'.repeat(lengthMax))],
  );
}

function objectsOf(schema: Schema, document: OpenApiDocument): fc.Arbitrary<unknown> {
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined) {
    const member = typeof additionalProperties === 'object' ? additionalProperties : {};
    return fc.dictionary(fc.constantFrom('m', 'n', 'é', ' 1 ', '2', 'agentId'), valuesOf(member, document), {
      maxKeys: 3,
      noNullPrototype: true,
    });
  }
  const members = Object.entries(properties).map(([name, member]): [string, fc.Arbitrary<unknown>] => [
    name,
    memberOf(name, member, document),
  ]);
  const record: fc.Arbitrary<Record<string, unknown>> = fc.record(Object.fromEntries(members), {
    requiredKeys: required,
    noNullPrototype: true,
  });
  return fc.tuple(record, fc.nat(19)).map(([value, at]) => (at === 0 ? value : withPartners(value)));
}

function memberOf(name: string, schema: Schema, document: OpenApiDocument): fc.Arbitrary<unknown> {
  const named = BY_NAME[name];
  if (named === undefined) return valuesOf(schema, document);
  const isNullable = JSON.stringify(schema).includes('"null"');
  return isNullable ? mixed([9, named], [1, fc.constant(null)]) : named;
}

/** Fields that require another field, as `[field, its partner]`. */
const PARTNERS = [
  ['currency', 'listPrice'],
  ['livingAreaUnits', 'livingArea'],
  ['lotSizeUnits', 'lotSizeArea'],
  ['latitude', 'longitude'],
  ['longitude', 'latitude'],
] as const;

function withPartners(value: Record<string, unknown>): Record<string, unknown> {
  const lonely = PARTNERS.filter(([field, partner]) => field in value && (value[partner] ?? undefined) === undefined);
  return Object.fromEntries(Object.entries(value).filter(([name]) => !lonely.some(([field]) => field === name)));
}

/** Generates values of the wrong type or range. */
const WRONG: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', ' ', '3', 'null', [], {}, -1, 2.5, 1e21, 1000, 0.001, ['x'], {
    a: { b: 1 },
  }),
  fc.constantFrom('x'.repeat(4_001), 'a\u0000b', '\u0007', '\u202e\u200b', '😀'.repeat(256)),
  fc.jsonValue({ maxDepth: 2 }),
);
const UNKNOWN = ['colour', 'Address', 'price', '__proto__', 'constructor', 'id', 'version', 'createdAt', '', 'beds '];

/** Generates values in which a member was replaced, removed, or added. They can still match the schema. */
export function damaged(given: Schema, document: OpenApiDocument): fc.Arbitrary<unknown> {
  const names = Object.keys(Object(document.schemaOf(given)).properties ?? { x: {} });
  const member = mostly(names, UNKNOWN, 4);
  const changed = fc
    .tuple(valuesOf(given, document), member, fc.option(WRONG, { nil: undefined }))
    .map(([value, name, wrong]) => changeMember(Object(value), name, wrong));
  return mixed([9, changed], [1, WRONG]);
}

/** Defines the member, because an assignment to `__proto__` would set the prototype. */
function changeMember(value: object, name: string, wrong: unknown): unknown {
  const entries = Object.entries(value).filter(([each]) => each !== name);
  const changed = Object.fromEntries(entries);
  if (wrong === undefined) return changed;
  return Object.defineProperty(changed, name, { value: wrong, enumerable: true, configurable: true, writable: true });
}
