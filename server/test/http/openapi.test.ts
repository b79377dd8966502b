import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { OpenApiDocument, valueAt } from '../../../testkit/src/openapi.ts';
import { startSharedService, startTestService } from '../../../testkit/src/service.ts';

const service = await startSharedService();
const tenant = await service.createTenant();

const served = await (await fetch(`${service.url}/v1/openapi.json`)).text();
const document = new OpenApiDocument(served);
const { operations } = document;
const LISTING = { $ref: 'openapi#/components/schemas/Listing' };
const LISTING_INPUT = { $ref: 'openapi#/components/schemas/ListingInput' };

test('with PUBLIC_URL, the document names it as the server', async () => {
  await using published = await startTestService({ publicUrl: 'https://listings.example.com' });
  const { servers } = JSON.parse(await (await fetch(`${published.url}/v1/openapi.json`)).text());
  assert.deepEqual(servers, [{ url: 'https://listings.example.com/v1' }]);
});

for (const [base, name] of [
  ['/v1', 'openapi.json'],
  ['/admin', 'admin.json'],
]) {
  const serve = async () => (await fetch(`${service.url}${base}/openapi.json`)).text();

  test(`the document below ${base} is the one in the repository`, async () => {
    const stored = readFileSync(new URL(`../../../openapi/${name}`, import.meta.url), 'utf8');
    const { servers, ...served } = JSON.parse(await serve());
    assert.deepEqual({ ...served, servers: [{ url: base }] }, JSON.parse(stored));
    assert.deepEqual(servers, [{ url: service.url + base }]);
  });

  test(`every reference below ${base} resolves, and every component is used`, async () => {
    const text = await serve();
    const root = JSON.parse(text);
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference);
    assert.ok(references.length > 0);
    for (const reference of references) assert.ok(valueAt(root, reference));
    const { securitySchemes: _, ...components } = root.components;
    const names = Object.entries<object>(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((part) => `#/components/${kind}/${part}`),
    );
    assert.deepEqual([...new Set(references)].sort(), names.sort());
  });
}

test('every parameter in a path is described', () => {
  for (const { path, parameters } of operations) {
    const described = parameters.filter(({ in: place }) => place === 'path').map(({ name }) => `{${name}}`);
    assert.deepEqual(path.match(/\{\w+\}/g) ?? [], described);
  }
});

/** Operation IDs must not change, because generated clients name functions after them. */
const OPERATION_IDS = {
  'GET /listings': 'listListings',
  'POST /listings': 'createListing',
  'GET /listings/{id}': 'retrieveListing',
  'GET /listings/{id}/history': 'listHistory',
  'PATCH /listings/{id}': 'updateListing',
  'DELETE /listings/{id}': 'deleteListing',
  'GET /listings/external/{externalId}': 'retrieveListingByExternalId',
  'PUT /listings/external/{externalId}': 'upsertListing',
  'PATCH /listings/external/{externalId}': 'updateListingByExternalId',
  'DELETE /listings/external/{externalId}': 'deleteListingByExternalId',
  'GET /events': 'listEvents',
  'POST /imports': 'createImport',
  'GET /feeds': 'listFeeds',
  'GET /feeds/{name}': 'retrieveFeed',
  'PUT /feeds/{name}': 'putFeed',
  'PATCH /feeds/{name}': 'updateFeed',
  'DELETE /feeds/{name}': 'deleteFeed',
  'GET /feeds/{name}/runs': 'listFeedRuns',
  'GET /feeds/{name}/runs/{runId}': 'retrieveFeedRun',
  'GET /feeds/{name}/runs/{runId}/errors': 'listFeedRunErrors',
  'GET /webhooks': 'listWebhooks',
  'POST /webhooks': 'createWebhook',
  'GET /webhooks/{webhookId}': 'retrieveWebhook',
  'PATCH /webhooks/{webhookId}': 'updateWebhook',
  'DELETE /webhooks/{webhookId}': 'deleteWebhook',
  'POST /webhooks/{webhookId}/roll-secret': 'rollWebhookSecret',
  'POST /webhooks/{webhookId}/test': 'testWebhook',
  'POST /webhooks/{webhookId}/replay': 'replayWebhook',
  'GET /webhooks/{webhookId}/deliveries': 'listWebhookDeliveries',
  'POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver': 'redeliverWebhookDelivery',
  'GET /me': 'retrieveMe',
};

test('operation ids do not change', () => {
  const there = operations.map(({ method, path, operationId }) => [`${method.toUpperCase()} ${path}`, operationId]);
  assert.deepEqual(Object.fromEntries(there), OPERATION_IDS);
});

describe('the schema of a new listing accepts what the service accepts', () => {
  const inputs: [name: string, input: object, isValid: boolean][] = [
    ['three fields', MINIMAL, true],
    ['3.0 beds', { ...MINIMAL, beds: 3.0 }, true],
    ['no address', { beds: 3, baths: 2 }, false],
    ['a string for a number', { ...MINIMAL, beds: '3' }, false],
    ['half a bed', { ...MINIMAL, beds: 2.5 }, false],
    ['1,000 beds', { ...MINIMAL, beds: 1000 }, false],
    ['an empty address', { ...MINIMAL, address: '' }, false],
    ['255 emoji', { ...MINIMAL, address: '😀'.repeat(255) }, true],
    ['256 characters', { ...MINIMAL, address: 'x'.repeat(256) }, false],
    ['an unknown field', { ...MINIMAL, price: 1 }, false],
    ['a read-only field', { ...MINIMAL, id: 'lst_01kt3vwq8r5f0x4m2n7p9s1d6h' }, false],
    ['an unknown status', { ...MINIMAL, status: 'sold' }, false],
    ['a price of 0', { ...MINIMAL, listPrice: 0 }, false],
    ['a photo without https', { ...MINIMAL, photos: [{ url: 'http://a.example/1' }] }, false],
    ['a photo URL that is not normalized', { ...MINIMAL, photos: [{ url: 'HTTPS://a.example/é 1' }] }, true],
    ['101 photos', { ...MINIMAL, photos: Array(101).fill({ url: 'https://a.example/1' }) }, false],
    ['51 members of metadata', { ...MINIMAL, metadata: { ...Array(51).fill(1) } }, false],
    ['a name of 41 characters in metadata', { ...MINIMAL, metadata: { ['x'.repeat(41)]: 1 } }, false],
    ['an object in metadata', { ...MINIMAL, metadata: { a: {} } }, false],
    ['a latitude beyond the pole', { ...MINIMAL, latitude: 91, longitude: 0 }, false],
  ];
  for (const [name, input, isValid] of inputs) {
    test(`${name}: ${isValid ? 'accepted' : 'rejected'}`, async () => {
      assert.equal(document.matches(input, LISTING_INPUT), isValid);
      const response = await post(service, tenant, input);
      assert.equal(response.status, isValid ? 201 : 422);
      if (isValid) assert.ok(document.matches(await response.json(), LISTING), 'the response is not a listing');
    });
  }
});

test('null removes a member of metadata, in the schema of a patch and in the service', async () => {
  const patch = { metadata: { agentId: null } };
  assert.ok(document.matches(patch, { $ref: 'openapi#/components/schemas/ListingPatch' }));
  const { id } = Object(await (await post(service, tenant, { ...MINIMAL, metadata: { agentId: 1 } })).json());
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const init = { method: 'PATCH', headers, body: JSON.stringify(patch) };
  const { metadata } = Object(await (await service.fetch(tenant, `/v1/listings/${id}`, init)).json());
  assert.deepEqual(metadata, {});
});

test('below /admin, every response documents the session cookie', async () => {
  const { operations: all } = new OpenApiDocument(await (await fetch(`${service.url}/admin/openapi.json`)).text());
  for (const { operationId, responses } of all) {
    for (const [status, { headers = {} }] of Object.entries(responses)) {
      assert.ok(headers['Set-Cookie'], `${operationId} ${status}`);
    }
  }
});

describe('a list is a list of complete listings', () => {
  const { responses } = operations.find(({ operationId }) => operationId === 'listListings') ?? assert.fail();
  const read = async (type: string, query: string) => {
    const reply = await service.fetch(tenant, `/v1/listings${query}`, { headers: { Accept: type } });
    return { body: await reply.json(), schema: responses['200']?.content?.[type]?.schema ?? assert.fail() };
  };
  for (const type of ['application/json', 'application/geo+json']) {
    test(`${type} matches its schema, with \`fields\` as far as they are named`, async () => {
      await post(service, tenant, MINIMAL);
      const complete = await read(type, '?count=true');
      document.assertValid(complete.body, complete.schema, type);
      const { body, schema } = await read(type, '?fields=address,listPrice&limit=1');
      assert.ok(!document.matches(body, schema));
      document.assertValid(body, schema, type, true);
    });
  }
});

test('each type of event has a schema of its own', () => {
  const { Event: event } = Object(JSON.parse(document.text)).components.schemas;
  const { propertyName, mapping } = event.discriminator;
  assert.equal(propertyName, 'type');
  assert.deepEqual(
    Object.values(mapping),
    event.oneOf.map(({ $ref }: { $ref: string }) => $ref),
  );
});

test('every parameter has an example that its schema allows', async () => {
  const admin = new OpenApiDocument(await (await fetch(`${service.url}/admin/openapi.json`)).text());
  for (const each of [document, admin]) {
    for (const { operationId, parameters } of each.operations) {
      for (const { name, example, schema } of parameters) {
        assert.notEqual(example, undefined, `${operationId} ${name}`);
        each.assertValid(example, schema, `${operationId} ${name}`);
      }
    }
  }
});
