import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { faultsOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { LISTING_BYTES_MAX } from '../../src/http/contract/operation.ts';
import { type Refusal, testRefusals } from '../support/refusals.ts';

const service = await startSharedService();

const THIS_YEAR = new Date().getUTCFullYear();

/** A valid listing plus these members, as JSON text so that numbers keep their spelling. */
function invalid(members: string, ...faults: string[]): Refusal {
  const others = Object.entries(MINIMAL).filter(([name]) => !members.includes(`"${name}":`));
  const body = `{${others.map(([name, value]) => `"${name}":${JSON.stringify(value)},`).join('')}${members}}`;
  const name = `${members.slice(0, 60)}${members.length > 60 ? '…' : ''} → ${faults[0]}`;
  return { name, body, status: 422, code: 'validation_failed', faults };
}

const characters = (count: number, character = 'x') => character.repeat(count);

describe('required fields must be present', () => {
  testRefusals(service, [
    { ...invalid('', 'address: required', 'baths: required', 'beds: required'), body: '{}', name: 'all three' },
    { ...invalid('', 'address: required'), body: '{"beds":3,"baths":2}', name: 'address' },
    { ...invalid('', 'beds: required'), body: '{"address":"a","baths":2}', name: 'beds' },
    { ...invalid('', 'baths: required'), body: '{"address":"a","beds":3}', name: 'baths' },
    invalid(
      '"address":null,"beds":null,"baths":null',
      ...['address', 'beds', 'baths'].map((n) => `${n}: invalid_type`),
    ),
  ]);
});

const WHOLE_NUMBERS = ['beds', 'baths'];

describe('beds and baths are whole numbers from 0 to 999', () => {
  testRefusals(
    service,
    WHOLE_NUMBERS.flatMap((field) => [
      invalid(`"${field}":"3"`, `${field}: invalid_type`),
      invalid(`"${field}":true`, `${field}: invalid_type`),
      invalid(`"${field}":null`, `${field}: invalid_type`),
      invalid(`"${field}":[3]`, `${field}: invalid_type`),
      invalid(`"${field}":{}`, `${field}: invalid_type`),
      invalid(`"${field}":2.5`, `${field}: not_an_integer`),
      invalid(`"${field}":1e-1`, `${field}: not_an_integer`),
      invalid(`"${field}":-1`, `${field}: out_of_range`),
      invalid(`"${field}":1000`, `${field}: out_of_range`),
      invalid(`"${field}":1e400`, `${field}: out_of_range`),
      invalid(`"${field}":-1e400`, `${field}: out_of_range`),
      invalid(`"${field}":9007199254740993`, `${field}: out_of_range`),
      invalid(`"${field}":2.00000000000000000001`, `${field}: out_of_range`),
      invalid(`"${field}":1e-400`, `${field}: out_of_range`),
    ]),
  );
});

const TEXTS: [field: string, lengthMax: number][] = [
  ['address', 255],
  ['externalId', 255],
  ['unitNumber', 25],
  ['city', 50],
  ['stateOrProvince', 50],
  ['postalCode', 10],
  ['description', 4000],
];

describe('strings are nonblank, limited in length, and without control characters', () => {
  testRefusals(
    service,
    TEXTS.flatMap(([field, lengthMax]) => [
      invalid(`"${field}":3`, `${field}: invalid_type`),
      invalid(`"${field}":["x"]`, `${field}: invalid_type`),
      invalid(`"${field}":""`, `${field}: blank`),
      invalid(`"${field}":" \\t\\n\\u00a0\\u2003\\ufeff"`, `${field}: blank`),
      invalid(`"${field}":"${characters(lengthMax + 1)}"`, `${field}: too_long`),
      invalid(`"${field}":"${characters(lengthMax + 1, '😀')}"`, `${field}: too_long`),
      invalid(`"${field}":"a\\u0000b"`, `${field}: invalid_format`),
      invalid(`"${field}":"a\\rb"`, `${field}: invalid_format`),
      invalid(`"${field}":"a\\u007fb"`, `${field}: invalid_format`),
      invalid(`"${field}":"a\\u0085b"`, `${field}: invalid_format`),
      invalid(`"${field}":"a\\ud800"`, `${field}: invalid_format`),
      invalid(`"${field}":"\\udc00a"`, `${field}: invalid_format`),
      invalid(`"${field}":"\\ude00\\ud83d"`, `${field}: invalid_format`),
    ]),
  );
  testRefusals(service, [
    invalid('"address":"a\\nb"', 'address: invalid_format'),
    invalid('"city":"a\\tb"', 'city: invalid_format'),
    invalid('"externalId":"."', 'externalId: invalid_format'),
    invalid('"externalId":" .. "', 'externalId: invalid_format'),
  ]);
});

const CHOICES: [field: string, value: string, partner?: string][] = [
  ['status', 'sold'],
  ['status', 'Active'],
  ['status', ' active'],
  ['propertyType', 'house'],
  ['currency', 'usd', '"listPrice":1'],
  ['currency', 'XXX', '"listPrice":1'],
  ['livingAreaUnits', 'acres', '"livingArea":1'],
  ['lotSizeUnits', 'hectares', '"lotSizeArea":1'],
  ['country', 'USA'],
  ['country', 'us'],
  ['country', 'ZZ'],
];

describe('choices are case-sensitive', () => {
  testRefusals(
    service,
    CHOICES.flatMap(([field, value, partner]) => {
      const rest = partner === undefined ? '' : `,${partner}`;
      return [
        invalid(`"${field}":"${value}"${rest}`, `${field}: invalid_choice`),
        invalid(`"${field}":1${rest}`, `${field}: invalid_type`),
      ];
    }),
  );
});

const MEASURES: [field: string, decimalsMax: number][] = [
  ['listPrice', 2],
  ['closePrice', 2],
  ['livingArea', 2],
  ['lotSizeArea', 4],
];

describe('prices and areas are positive and limited in decimals', () => {
  testRefusals(
    service,
    MEASURES.flatMap(([field, decimalsMax]) => [
      invalid(`"${field}":"1"`, `${field}: invalid_type`),
      invalid(`"${field}":0`, `${field}: out_of_range`),
      invalid(`"${field}":-0.0`, `${field}: out_of_range`),
      invalid(`"${field}":-1`, `${field}: out_of_range`),
      invalid(`"${field}":1000000000000`, `${field}: out_of_range`),
      invalid(`"${field}":1e400`, `${field}: out_of_range`),
      invalid(`"${field}":1.${characters(decimalsMax, '0')}1`, `${field}: invalid_format`),
      invalid(`"${field}":1e-${decimalsMax + 1}`, `${field}: invalid_format`),
      invalid(`"${field}":450000.0000000000000001`, `${field}: out_of_range`),
    ]),
  );
});

describe('dates are real, and have no time', () => {
  testRefusals(
    service,
    ['onMarketDate', 'closeDate'].flatMap((field) => [
      ...['2026-02-29', '2026-13-01', '2026-00-10', '2026-11-31', '20261122', '2026-1-2', '22.11.2026', ''].map(
        (value) => invalid(`"${field}":"${value}"`, `${field}: invalid_format`),
      ),
      invalid(`"${field}":"2026-11-22T00:00:00Z"`, `${field}: invalid_format`),
      invalid(`"${field}":" 2026-11-22"`, `${field}: invalid_format`),
      invalid(`"${field}":20261122`, `${field}: invalid_type`),
    ]),
  );
});

describe('years and coordinates are limited to their ranges', () => {
  testRefusals(service, [
    invalid('"yearBuilt":999', 'yearBuilt: out_of_range'),
    invalid(`"yearBuilt":${THIS_YEAR + 6}`, 'yearBuilt: out_of_range'),
    invalid('"yearBuilt":1999.5', 'yearBuilt: not_an_integer'),
    invalid('"yearBuilt":"1999"', 'yearBuilt: invalid_type'),
    invalid('"latitude":90.00000001,"longitude":0', 'latitude: out_of_range'),
    invalid('"latitude":-90.00000001,"longitude":0', 'latitude: out_of_range'),
    invalid('"latitude":0,"longitude":180.00000001', 'longitude: out_of_range'),
    invalid('"latitude":0,"longitude":-180.00000001', 'longitude: out_of_range'),
    invalid('"latitude":0.000000001,"longitude":0.123456789', 'latitude: invalid_format', 'longitude: invalid_format'),
    invalid('"latitude":"30","longitude":"-97"', 'latitude: invalid_type', 'longitude: invalid_type'),
  ]);
});

describe('a field without its required partner names the partner', () => {
  testRefusals(service, [
    invalid('"latitude":30', 'longitude: inconsistent'),
    invalid('"longitude":30', 'latitude: inconsistent'),
    invalid('"latitude":30,"longitude":null', 'longitude: inconsistent'),
    invalid('"currency":"EUR"', 'listPrice: inconsistent'),
    invalid('"currency":"EUR","closePrice":null', 'listPrice: inconsistent'),
    invalid('"livingAreaUnits":"sqm"', 'livingArea: inconsistent'),
    invalid('"lotSizeUnits":"acres"', 'lotSizeArea: inconsistent'),
    invalid(
      '"currency":"EUR","livingAreaUnits":"sqm","lotSizeUnits":"acres"',
      ...['listPrice: inconsistent', 'livingArea: inconsistent', 'lotSizeArea: inconsistent'],
    ),
  ]);
});

describe('read-only and unknown fields are rejected, not ignored', () => {
  const own = ['id', 'feed', 'version', 'createdAt', 'updatedAt'];
  const unknown = ['price', 'Address', 'accountId', 'sequence', '__proto__', 'constructor', 'toString', '', ' beds'];
  testRefusals(service, [
    ...own.map((field) => invalid(`"${field}":1`, `${field}: read_only`)),
    ...own.map((field) => invalid(`"${field}":null`, `${field}: read_only`)),
    ...unknown.map((field) => invalid(`"${field}":{"isAdmin":true}`, `${field}: unknown_field`)),
    invalid('"price":null', 'price: unknown_field'),
    invalid('"photos":[{"url":"https://a.example/1","id":1}]', 'photos[0].id: unknown_field'),
    invalid('"photos":[{"url":"https://a.example/1","__proto__":1}]', 'photos[0].__proto__: unknown_field'),
  ]);
});

describe('a number that a double would change is out of range only where a number is allowed', () => {
  testRefusals(
    service,
    ['12345678901234567890', '1e400', '1e-400'].flatMap((number) => [
      ...['address', 'externalId', 'status', 'photos', 'metadata'].map((field) =>
        invalid(`"${field}":${number}`, `${field}: invalid_type`),
      ),
      invalid(`"address":{"a":${number}}`, 'address: invalid_type'),
      invalid(`"photos":[${number},{"url":${number}}]`, 'photos[0]: invalid_type', 'photos[1].url: invalid_type'),
      invalid(`"metadata":{"":${number},"a":[${number}]}`, 'metadata.: blank', 'metadata.a: invalid_type'),
      invalid(`"mlsNumber":${number}`, 'mlsNumber: unknown_field'),
      invalid(`"mlsNumber":[${number}]`, 'mlsNumber: unknown_field'),
      invalid(`"version":${number}`, 'version: read_only'),
      { ...invalid('', 'body: invalid_type'), name: `the body ${number}`, body: number },
    ]),
  );

  test('the message is true for large, small, and long numbers', async () => {
    const tenant = await service.createTenant();
    for (const number of ['12345678901234567890', '1e400', '1e-400']) {
      const body = `{"address":"a","beds":${number},"baths":1,"metadata":{"a":${number}}}`;
      const { details = [] } = await readError(await post(service, tenant, body), 422, 'validation_failed');
      const message = 'Cannot be stored without rounding: it is too large, too close to 0, or has more than 15 digits.';
      assert.deepEqual(details, [
        { field: 'beds', code: 'out_of_range', message },
        { field: 'metadata.a', code: 'out_of_range', message },
      ]);
    }
  });
});

describe('all issues are listed at once, in a limited response', () => {
  testRefusals(service, [
    {
      ...invalid('', 'address: blank', 'beds: invalid_type', 'baths: out_of_range', 'status: invalid_choice'),
      name: 'nineteen issues in one body',
      body: `{"address":" ","beds":"3","baths":-1,"status":"sold","listPrice":1.001,"currency":"dollars","livingArea":0,
        "lotSizeUnits":"acres","yearBuilt":1.5,"latitude":91,"photos":[{"url":"https://a.example/1"},{"url":"x","alt":1}],
        "metadata":{"a":null,"b":1e400},"id":"lst_1","price":1,"__proto__":{},"externalId":".."}`,
      faults: [
        ...['address: blank', 'beds: invalid_type', 'baths: out_of_range', 'status: invalid_choice'],
        ...['listPrice: invalid_format', 'currency: invalid_choice', 'livingArea: out_of_range'],
        ...['lotSizeArea: inconsistent', 'yearBuilt: not_an_integer', 'latitude: out_of_range'],
        ...['longitude: inconsistent', 'photos[1].url: invalid_format', 'photos[1].alt: unknown_field'],
        ...['metadata.a: invalid_type', 'metadata.b: out_of_range', 'id: read_only', 'price: unknown_field'],
        ...['__proto__: unknown_field', 'externalId: invalid_format'],
      ],
    },
  ]);

  const many = (member: (index: number) => string) =>
    Array.from({ length: 50_000 }, (_, index) => member(index)).join();
  const crowds: [name: string, body: string][] = [
    ['unknown fields', `{${many((index) => `"f${index}":1`)}}`],
    ['invalid photos', `{"photos":[${many(() => '1')}]}`],
    ['invalid metadata values', `{"metadata":{${many((index) => `"m${index}":[]`)}}}`],
    ['numbers out of range', `{"photos":[${many(() => '1e400')}]}`],
    ['one very long name', `{"${'n'.repeat(LISTING_BYTES_MAX - 10)}":1}`],
  ];
  for (const [name, body] of crowds) {
    test(`50,000 issues: ${name}`, async () => {
      const tenant = await service.createTenant();
      const error = await readError(await post(service, tenant, body), 422, 'validation_failed');
      assert.ok(JSON.stringify(error).length < 50_000, `${faultsOf(error).length} issues`);
      assert.ok(error.message.length < 200);
    });
  }
});
