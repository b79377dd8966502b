import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import {
  addFeed,
  addInvitation,
  addKey,
  addMember,
  addWebhook,
  call,
  createEmptyWorld,
  createWorld,
  type Gate,
  KEY_GATE,
  logRequest,
  SESSION_GATE,
  sendJson,
  useKey,
  type World,
} from '../../../testkit/src/calls.ts';
import { withoutChance } from '../../../testkit/src/chance.ts';
import {
  assertHeaders,
  type DocumentedOperation,
  type DocumentedReply,
  isOfPeople,
  OpenApiDocument,
} from '../../../testkit/src/openapi.ts';
import { REPOSITORY } from '../../../testkit/src/process.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { EXAMPLE_ID } from '../../src/http/contract/errors/entry.ts';
import { V1 } from '../../src/http/map.ts';
import { PROVOCATIONS, UNPROVOKED } from '../support/provocations.ts';
import { startReceiver } from '../support/receiver.ts';

const service = await startSharedService({ requestLog: { days: 7, bytes: 1_000_000_000 } });

/** The listing that the examples share. */
const LISTING = exampleOf('createListing');

/** 2xx examples that only work in an account that does not have the example listing yet. */
const WITHOUT_LISTING = new Set(['createListing 201', 'upsertListing 201']);

/** Setup requests for examples that show more than the listing. */
const BEFORE: Record<string, (world: World) => Promise<unknown>> = {
  listEvents: async (world) => {
    await sendJson(world, 'PATCH', `/listings/${world.ids.id}`, { listPrice: 439000 });
    await world.caller.fetch(`${world.gate.base}/listings/${world.ids.id}`, { method: 'DELETE' });
  },
  listHistory: (world) =>
    sendJson(world, 'PATCH', `/listings/${world.ids.id}`, { listPrice: 439000, description: 'A garden.' }),
  ...Object.fromEntries(
    [
      'listFeeds',
      'retrieveFeed',
      'updateFeed',
      'deleteFeed',
      'listFeedRuns',
      'retrieveFeedRun',
      'listFeedRunErrors',
    ].map((operationId) => [operationId, addFeed]),
  ),
  listSavedViews: addView,
  deleteSavedView: addView,
  listApiKeys: addKey,
  deleteMember: addMember,
  listInvitations: addInvitation,
  deleteInvitation: addInvitation,
  deleteApiKey: addKey,
  updateApiKey: addKey,
  rollApiKey: addKey,
  listRequests: logRequest,
  retrieveRequest: logRequest,
  listActivity: addKey,
  ...Object.fromEntries(
    ['listWebhooks', 'retrieveWebhook', 'updateWebhook', 'deleteWebhook', 'rollWebhookSecret', 'replayWebhook'].map(
      (operationId) => [operationId, (world: World) => addWebhook(world)],
    ),
  ),
  testWebhook: (world) => addWebhook(world, receiver.url),
  listWebhookDeliveries: addDelivery,
  redeliverWebhookDelivery: addDelivery,
  retrieveOverview: async (world) => {
    await addKey(world);
    await useKey(world);
  },
};

const receiver = await startReceiver({ after });

async function addView(world: World): Promise<void> {
  const view = { name: 'Austin below $500,000', search: 'city=Austin&listPrice%5Blte%5D=500000' };
  await sendJson(world, 'POST', '/views', view);
  world.ids.viewName = view.name;
}

/** Adds an endpoint that responds, and waits until it has received the listing. */
async function addDelivery(world: World): Promise<void> {
  await addWebhook(world, receiver.url);
  const { webhookId } = world.ids;
  await sendJson(world, 'POST', `/webhooks/${webhookId}/replay`, { after: 0 });
  world.ids.deliveryId = await until('delivered', async () => {
    const response = await world.caller.fetch(`${world.gate.base}/webhooks/${webhookId}/deliveries`);
    return Object(await response.json()).data[0]?.id;
  });
}

async function enterWorld({ operationId }: DocumentedOperation, status: string, gate: Gate): Promise<World> {
  if (WITHOUT_LISTING.has(`${operationId} ${status}`)) return createEmptyWorld(service, gate);
  const world = await createWorld(service, gate, LISTING);
  await BEFORE[operationId]?.(world);
  return world;
}

for (const gate of [KEY_GATE, SESSION_GATE]) {
  const document = new OpenApiDocument(await (await fetch(`${service.url}${gate.base}/openapi.json`)).text());
  for (const operation of document.operations.filter((candidate) => !isOfPeople(candidate))) {
    describe(`${operation.operationId} below ${gate.base}`, () => {
      for (const [status, reply] of Object.entries(operation.responses)) {
        const documented = { document, gate, operation, status, reply };
        if (Number(status) < 300) testSuccess(documented);
        else if (status === '304') testNotModified(documented);
        else testErrors(documented);
      }
    });
  }
}

interface Documented {
  document: OpenApiDocument;
  gate: Gate;
  operation: DocumentedOperation;
  status: string;
  reply: DocumentedReply;
}

/** Tests every example body with every media type of the response. */
function testSuccess({ document, gate, operation, status, reply }: Documented): void {
  const bodies = Object.entries(operation.requestBody?.content ?? { '': { schema: {}, example: '' } });
  for (const [type, { schema, example }] of bodies) {
    const written = typeof example === 'string' ? example : JSON.stringify(example);
    for (const [accept, media] of Object.entries(reply.content ?? { '*/*': { schema: {}, example: '' } })) {
      test(`${status} ${type} → ${accept}`, async () => {
        document.assertValid(example, schema, 'the example of the request');
        const world = await enterWorld(operation, status, gate);
        const body = written.replace(EXAMPLE_ID, world.ids.id ?? '');
        const sent = type === '' ? {} : { body, headers: { 'Content-Type': type } };
        const response = await call(world, operation, { ...sent, headers: { ...sent.headers, Accept: accept } });
        assert.equal(String(response.status), status);
        assertHeaders(response.headers, reply);
        await assertAsWritten(document, response, media.example, media.schema);
      });
    }
  }
}

function testNotModified({ gate, operation, reply }: Documented): void {
  test('304', async () => {
    const world = await enterWorld(operation, '304', gate);
    const etag = (await call(world, operation)).headers.get('etag') ?? '';
    const response = await call(world, operation, { headers: { 'If-None-Match': etag } });
    assert.equal(response.status, 304);
    assert.equal(response.headers.get('etag'), etag);
    assertHeaders(response.headers, reply);
    assert.equal(await response.text(), '');
  });
}

/** Tests every documented error code. */
function testErrors({ document, gate, operation, status, reply }: Documented): void {
  const { schema = {}, examples = {} } = reply.content?.['application/json'] ?? {};
  for (const [code, { value }] of Object.entries(examples)) {
    test(`${status} ${code}`, async () => {
      document.assertValid(value, schema, 'the example');
      const provoke = PROVOCATIONS[`${operation.operationId} ${code}`] ?? PROVOCATIONS[code];
      if (provoke === undefined) return assertShownElsewhere(code);
      const world = await enterWorld(operation, status, gate);
      const response = await provoke({ world, operation, ask: (change) => call(world, operation, change) });
      assert.equal(String(response.status), status);
      assert.equal(response.headers.get('link'), `</docs/errors/${code}>; rel="help"`);
      assertHeaders(response.headers, reply);
      await assertAsWritten(document, response, value, schema);
    });
  }
}

/** The body equals the example except for ids, times, and the like. */
async function assertAsWritten(
  document: OpenApiDocument,
  response: Response,
  example: unknown,
  schema: object,
): Promise<void> {
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  if (/[/+]json$/.test(type)) document.assertValid(JSON.parse(text), schema, 'the response');
  const written = typeof example === 'string' ? example : JSON.stringify(example);
  assert.equal(withoutChance(text), withoutChance(written));
}

function assertShownElsewhere(code: string): void {
  const file = UNPROVOKED[code];
  assert.ok(file, `no test provokes ${code}, and UNPROVOKED does not list it`);
  assert.ok(readFileSync(join(REPOSITORY, file), 'utf8').includes(code), `${file} does not show ${code}`);
}

function exampleOf(operationId: string): unknown {
  const operation = V1.operations.find((candidate) => candidate.operationId === operationId);
  return operation?.body?.example;
}
