import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { pino } from 'pino';
import { KeyUse } from '../../src/domain/api-keys.ts';
import { EventHub } from '../../src/domain/event-hub.ts';
import { createRoutes } from '../../src/http/app.ts';
import { CursorCodec } from '../../src/http/cursor.ts';
import { Guesses } from '../../src/http/guesses.ts';
import { fill, MINIMAL, post } from '../support/listings.ts';
import { readListing } from '../support/replies.ts';
import { startTestService } from '../support/service.ts';

interface Media {
  schema: object;
  example: unknown;
}
interface Operation {
  operationId: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const tenant = await service.createTenant();
const [id = ''] = await fill(service, tenant, 3);

const served = await (await fetch(`${service.url}/v1/openapi.json`)).text();
const document: { paths: Record<string, Record<string, Operation>> } = JSON.parse(served);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');

/** Checks a value against the schema that stands at a place in the document. */
function assertValid(value: unknown, ...place: string[]): void {
  const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const validate = ajv.compile({ $ref: `openapi#/${pointer}` });
  assert.ok(validate(value), `${pointer}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
}

/** Checks a reply against what the document says of its operation, status and type. */
async function assertDocumented(response: Response, path: string, method: string): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  const place = ['paths', path, method, 'responses', String(response.status), 'content', type, 'schema'];
  assertValid(JSON.parse(await response.text()), ...place);
}

test('the document that is served is the one in the repository', () => {
  const stored = readFileSync(new URL('../../../openapi/openapi.json', import.meta.url), 'utf8');
  assert.deepEqual(document, JSON.parse(stored));
});

test('every reference leads somewhere, and every component is used', () => {
  const references = [...served.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference);
  assert.ok(references.length > 0);
  for (const reference of references) assert.ok(ajv.compile({ $ref: `openapi${reference}` }));
  const { schemas } = JSON.parse(served).components;
  const names = Object.keys(schemas).map((name) => `#/components/schemas/${name}`);
  assert.deepEqual([...new Set(references)].sort(), names.sort());
});

test('every route below /v1 is documented, and nothing else is', () => {
  const { database } = service;
  const routes = createRoutes({
    database,
    eventHub: new EventHub(database),
    cursors: new CursorCodec('secret'),
    keyUse: new KeyUse(database),
    log: { logger: pino({ level: 'silent' }), writeLine: () => {} },
    trustedProxies: undefined,
    rateLimit: undefined,
    guesses: new Guesses(),
    release: '0.0.0',
    isStopping: () => false,
  });
  const below = routes.list().filter(({ path }) => path.startsWith('/v1/'));
  const mounted = below.map(({ path, method }) => `${method} ${path}`);
  const documented = operations.map(({ path, method }) => `${method.toUpperCase()} /v1${path}`);
  assert.deepEqual([...new Set(mounted)].sort(), [...documented, 'GET /v1/openapi.json'].sort());
});

test('operation ids are unique, and every parameter in a path is described', () => {
  assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length);
  for (const { path, operation } of operations) {
    const described = operation.parameters.filter(({ in: where }) => where === 'path').map(({ name }) => `{${name}}`);
    assert.deepEqual(path.match(/\{\w+\}/g) ?? [], described);
  }
});

const SUCCESS: Record<string, number> = { get: 200, post: 201, patch: 200, put: 200, delete: 204, importListings: 200 };

describe('each operation is answered as it is documented', () => {
  for (const { path, method, operation } of operations) {
    const url = `/v1${path.replace('{id}', id).replace('{externalId}', 'nobody')}`;
    const body = operation.requestBody?.content['application/json']?.example;
    const init = {
      method: method.toUpperCase(),
      ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    };

    test(`${operation.operationId}: its examples are valid`, () => {
      if (body !== undefined) {
        assertValid(body, 'paths', path, method, 'requestBody', 'content', 'application/json', 'schema');
      }
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const [type, { example }] of Object.entries(content)) {
          assertValid(example, 'paths', path, method, 'responses', status, 'content', type, 'schema');
        }
      }
    });

    test(`${operation.operationId}: its success`, async () => {
      const externalId = `for ${operation.operationId}`;
      const { id: own } = await readListing(await post(service, tenant, { ...MINIMAL, externalId }), 201);
      const ownUrl = `/v1${path.replace('{id}', own).replace('{externalId}', encodeURIComponent(externalId))}`;
      const response = await service.fetch(tenant, ownUrl, init);
      assert.equal(response.status, SUCCESS[operation.operationId] ?? SUCCESS[method]);
      if (response.status !== 204) await assertDocumented(response, path, method);
    });

    test(`${operation.operationId}: its errors`, async () => {
      const refused = { ...init, headers: { ...init.headers, Accept: 'image/png' } };
      for (const [response, status] of [
        [await fetch(`${service.url}${url}`, init), 401],
        [await service.fetch(tenant, `${url}?nonsense=1`, init), 400],
        [await service.fetch(tenant, url, refused), 406],
      ] as const) {
        assert.equal(response.status, status);
        await assertDocumented(response, path, method);
      }
    });
  }

  const refusals: [body: string, headers: Record<string, string>, status: number][] = [
    ['{', {}, 400],
    ['{}', { 'Idempotency-Key': '' }, 400],
    [' '.repeat(1024 * 1024 + 1), {}, 413],
    ['{}', { 'Content-Type': 'text/plain' }, 415],
    ['{"address":1,"nonsense":2}', {}, 422],
    [JSON.stringify({ ...MINIMAL, externalId: 'taken' }), {}, 409],
  ];
  test('createListing: the errors of its body', async () => {
    await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'taken' }), 201);
    for (const [body, headers, status] of refusals) {
      const response = await post(service, tenant, body, headers);
      assert.equal(response.status, status);
      await assertDocumented(response, '/listings', 'post');
    }
    const reader = await service.createTenant('Readers', 'read');
    const forbidden = await post(service, reader, MINIMAL);
    assert.equal(forbidden.status, 403);
    await assertDocumented(forbidden, '/listings', 'post');
  });

  test('retrieveListing: an id that does not exist', async () => {
    const response = await service.fetch(tenant, '/v1/listings/lst_0');
    assert.equal(response.status, 404);
    await assertDocumented(response, '/listings/{id}', 'get');
  });
});

describe('the schema of a listing that is sent and the service agree', () => {
  const inputs: [name: string, input: object, isValid: boolean][] = [
    ['three fields', MINIMAL, true],
    ['3.0 beds', { ...MINIMAL, beds: 3.0 }, true],
    ['no address', { beds: 3, baths: 2 }, false],
    ['a text for a number', { ...MINIMAL, beds: '3' }, false],
    ['half a bed', { ...MINIMAL, beds: 2.5 }, false],
    ['1,000 beds', { ...MINIMAL, beds: 1000 }, false],
    ['an empty address', { ...MINIMAL, address: '' }, false],
    ['255 emoji', { ...MINIMAL, address: '😀'.repeat(255) }, true],
    ['256 characters', { ...MINIMAL, address: 'x'.repeat(256) }, false],
    ['an unknown field', { ...MINIMAL, price: 1 }, false],
    ['a field of the server', { ...MINIMAL, id: id }, false],
    ['an unknown status', { ...MINIMAL, status: 'sold' }, false],
    ['a price of 0', { ...MINIMAL, listPrice: 0 }, false],
    ['a photo without https', { ...MINIMAL, photos: [{ url: 'http://a.example/1' }] }, false],
    ['101 photos', { ...MINIMAL, photos: Array(101).fill({ url: 'https://a.example/1' }) }, false],
    [
      '51 members of metadata',
      { ...MINIMAL, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`m${index}`, 1])) },
      false,
    ],
    ['an object in metadata', { ...MINIMAL, metadata: { a: {} } }, false],
    ['a latitude beyond the pole', { ...MINIMAL, latitude: 91, longitude: 0 }, false],
  ];
  const validate = ajv.compile({ $ref: 'openapi#/components/schemas/ListingInput' });
  for (const [name, input, isValid] of inputs) {
    test(`${name}: ${isValid ? 'taken' : 'refused'}`, async () => {
      assert.equal(validate(input), isValid, ajv.errorsText(validate.errors));
      assert.equal((await post(service, tenant, input)).status, isValid ? 201 : 422);
    });
  }
});
