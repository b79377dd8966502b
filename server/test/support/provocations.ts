import { type Browser, createPerson, signIn } from '../../../testkit/src/browser.ts';
import {
  addFeed,
  type Caller,
  type Change,
  call,
  createEmptyWorld,
  sendJson,
  type World,
} from '../../../testkit/src/calls.ts';
import type { DocumentedOperation } from '../../../testkit/src/openapi.ts';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';

/** A call to one operation in one world. */
export interface Provoking {
  world: World;
  operation: DocumentedOperation;
  ask: (change?: Change) => Promise<Response>;
}

/** Operations for administrators only; members can call all others. */
export const FOR_ADMINISTRATORS = [
  ...['listApiKeys', 'createApiKey', 'deleteApiKey', 'updateAccount', 'listActivity', 'listMembers'],
  ...['updateApiKey', 'rollApiKey', 'listRequests', 'retrieveRequest'],
  ...['updateMember', 'deleteMember', 'listInvitations', 'createInvitation', 'deleteInvitation'],
  ...['listWebhooks', 'createWebhook', 'retrieveWebhook', 'updateWebhook', 'deleteWebhook', 'rollWebhookSecret'],
  ...['testWebhook', 'replayWebhook', 'listWebhookDeliveries', 'redeliverWebhookDelivery'],
];

/** Provokes each documented error, for any operation or for a named one. */
export const PROVOCATIONS: Record<string, (provoking: Provoking) => Promise<Response>> = {
  invalid_json: ({ ask }) => ask({ body: '{"address":"12 Elm Street",}' }),
  invalid_query: ({ ask, operation }) => {
    const names = operation.parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
    return ask({ query: names.includes('limit') ? 'limit=5000' : `${names[0]}=` });
  },
  unknown_parameter: ({ ask }) => ask({ query: 'colour=red' }),
  invalid_cursor: ({ ask }) => ask({ query: 'cursor=abc' }),
  invalid_idempotency_key: ({ ask }) => ask({ headers: { 'Idempotency-Key': 'my key' } }),
  invalid_header: ({ ask, operation }) =>
    ask({ headers: { [operation.method === 'get' ? 'If-None-Match' : 'If-Match']: '1' } }),
  unauthorized: ({ ask, world: { gate, service } }) => ask({ caller: gate.nobody(service) }),
  insufficient_scope: async ({ ask, world: { service } }) => {
    const reader = await service.createTenant('Readers', 'read');
    return ask({ caller: { fetch: (path, init) => service.fetch(reader, path, init) } });
  },
  forbidden: ({ ask, world: { service, caller } }) => ask({ caller: withoutOrigin(service, caller) }),
  account_changed: ({ ask }) => ask({ headers: { 'X-Account-Id': 'acc_other' } }),
  not_found: ({ ask, operation }) => ask({ path: operation.path.replace(/\{\w+\}/, 'id_0') }),
  events_expired: ({ ask }) => ask({ query: 'epoch=00000000' }),
  'retrieveListing events_expired': ({ ask }) => ask({ query: 'at=128' }),
  not_acceptable: ({ ask }) => ask({ headers: { Accept: 'image/png' } }),
  external_id_taken: async ({ ask, world, operation }) => {
    if (operation.operationId === 'createListing') return ask();
    const another = { externalId: 'MLS-1', address: '14 Elm Street', beds: 3, baths: 2 };
    await sendJson(world, 'POST', '/listings', another);
    return ask({ body: '{"externalId":"MLS-1"}' });
  },
  version_mismatch: async ({ ask, world }) => {
    await sendJson(world, 'PATCH', `/listings/${world.ids.id}`, { listPrice: 460000 });
    return ask({ headers: { 'If-Match': '"1"' } });
  },
  precondition_failed: ({ ask }) => ask({ headers: { 'If-None-Match': '*' } }),
  import_failed: ({ ask }) =>
    ask({
      query: 'atomic=true',
      body: 'address,beds,baths\n12 Elm Street,3,2\n14 Elm Street,2.5,2\n',
      headers: { 'Content-Type': 'text/csv' },
    }),
  payload_too_large: ({ ask }) => ask({ body: ' '.repeat(1024 * 1024 + 1) }),
  unsupported_media_type: ({ ask }) => ask({ body: '{}', headers: { 'Content-Type': 'text/plain' } }),
  validation_failed: ({ ask }) => ask({ body: '{"address":" ","beds":2.5,"baths":2}' }),
  idempotency_key_reused: async ({ ask, world }) => {
    const another = { address: '14 Elm Street', beds: 3, baths: 2 };
    await sendJson(world, 'POST', '/listings', another, { 'Idempotency-Key': '4c1d' });
    return ask({ headers: { 'Idempotency-Key': '4c1d' } });
  },
  rate_limited: async ({ world, operation }) => {
    await using service = await startTestService({ rateLimit: { points: 1, seconds: 10 } });
    const limited = { ...world, ...(await createEmptyWorld(service, world.gate)) };
    await call(limited, operation);
    return await call(limited, operation);
  },
  'createImport invalid_json': ({ ask }) =>
    ask({
      body: '[{"externalId":"MLS-20931","address":"12 Elm Street","beds":3,"baths":2},]',
      headers: { 'Content-Type': 'application/json' },
    }),
  'createImport payload_too_large': ({ ask }) => ask({ query: 'atomic=true', body: '{}\n'.repeat(10_001) }),
  'createImport idempotency_key_reused': async ({ ask }) => {
    const retry = { query: 'atomic=true', headers: { 'Idempotency-Key': '4c1d' } };
    await ask({ ...retry, body: '' });
    return ask(retry);
  },
  'createImport validation_failed': ({ ask }) =>
    ask({ body: 'adress,beds,baths\r\n', headers: { 'Content-Type': 'text/csv' } }),
  'createImport invalid_idempotency_key': ({ ask }) => ask({ headers: { 'Idempotency-Key': '4c1d' } }),
  ...Object.fromEntries(FOR_ADMINISTRATORS.map((operationId) => [`${operationId} forbidden`, askAsMember])),
  'putFeed validation_failed': ({ ask }) =>
    ask({ body: 'adress,beds,baths\r\n', headers: { 'Content-Type': 'text/csv' } }),
  'putFeed invalid_idempotency_key': ({ ask }) => ask({ headers: { 'Idempotency-Key': '4c1d' } }),
  'putFeed invalid_json': ({ ask }) =>
    ask({
      body: '[{"externalId":"MLS-20931","address":"12 Elm Street","beds":3,"baths":2},]',
      headers: { 'Content-Type': 'application/json' },
    }),
  'putFeed import_failed': ({ ask }) => ask({ headers: { 'Content-Encoding': 'gzip' } }),
  feed_guard: ({ ask }) => ask({ body: '' }),
  feed_busy: async ({ ask, world }) => {
    await addFeed(world);
    const { service, accountId } = world;
    await service.sql('update feeds set lease_until = ? where account_id = ?', Date.now() + 60_000, accountId);
    return ask();
  },
  'deleteListings validation_failed': ({ ask }) => ask({ body: '{"ids":[]}' }),
  'updateFeed validation_failed': ({ ask }) => ask({ body: '{"missing":"remove"}' }),
  'updateFeed payload_too_large': ({ ask }) => ask({ body: ' '.repeat(16 * 1024 + 1) }),
  'updateMember validation_failed': ({ ask }) => ask({ body: '{"role":"owner"}' }),
  'updateMember conflict': ({ ask }) => ask({ body: '{"role":"member"}' }),
  'deleteMember conflict': async ({ ask, world: { caller } }) => {
    const { user } = Object(await (await caller.fetch('/admin/session')).json());
    return ask({ path: `/members/${user.id}` });
  },
  'createInvitation validation_failed': ({ ask }) => ask({ body: '{"email":"grace","role":"owner"}' }),
  'createInvitation conflict': async ({ ask, world: { service, accountId } }) => {
    const { email } = await createPerson(service, { accountId });
    return ask({ body: JSON.stringify({ email, role: 'member' }) });
  },
  'createInvitation rate_limited': async ({ ask }) => {
    for (let count = 0; count < 5; count += 1) await (await ask()).text();
    return ask();
  },
  'createWebhook not_found': async ({ ask, world }) => {
    const repeated = { headers: { 'Idempotency-Key': '4c1d' } };
    const { id } = Object(await (await ask(repeated)).json());
    await world.caller.fetch(`${world.gate.base}/webhooks/${id}`, { method: 'DELETE' });
    return ask(repeated);
  },
  'createWebhook validation_failed': ({ ask }) => ask({ body: '{"url":"ftp://example.com"}' }),
  'updateWebhook validation_failed': ({ ask }) => ask({ body: '{"url":"ftp://example.com"}' }),
  'replayWebhook validation_failed': ({ ask }) => ask({ body: '{}' }),
  'replayWebhook events_expired': ({ ask }) => ask({ body: '{"after":2}' }),
  'redeliverWebhookDelivery not_found': ({ ask, world: { ids } }) =>
    ask({ path: `/webhooks/${ids.webhookId}/deliveries/id_0/redeliver` }),
  'redeliverWebhookDelivery events_expired': async ({ ask, world: { service, accountId } }) => {
    await service.sql('delete from events where account_id = ? returning sequence', accountId);
    return ask();
  },
  'createApiKey validation_failed': ({ ask }) => ask({ body: '{"name":" ","expiresAt":"tomorrow"}' }),
  'updateApiKey validation_failed': ({ ask }) => ask({ body: '{"name":" "}' }),
  'rollApiKey validation_failed': ({ ask }) => ask({ body: '{"expiresInHours":169}' }),
  'rollApiKey conflict': async ({ ask }) => {
    await (await ask()).text();
    return ask();
  },
  'saveView validation_failed': ({ ask }) => ask({ body: '{"name":" ","search":"city=Austin"}' }),
  'saveView conflict': async ({ ask, world }) => {
    for (let count = 0; count < 50; count += 1) {
      await sendJson(world, 'POST', '/views', { name: `View ${count}`, search: 'city=Austin' });
    }
    return ask();
  },
  'matchColumns validation_failed': ({ ask }) => ask({ body: '{"names":"ListPrice"}' }),
  'updateAccount validation_failed': ({ ask }) => ask({ body: '{"currency":"XXX"}' }),
  headers_too_large: ({ ask }) => ask({ headers: { 'X-Note': 'x'.repeat(20_000) } }),
};

async function askAsMember({ ask, world: { service, accountId } }: Provoking): Promise<Response> {
  return ask({ caller: await signIn(service, await createPerson(service, { accountId, role: 'member' })) });
}

/** The same user's session without an `Origin` header. */
function withoutOrigin({ url }: TestService, browser: Caller): Caller {
  const { cookie: Cookie } = browser as Browser;
  return { fetch: (path, init = {}) => fetch(url + path, { ...init, headers: { ...init.headers, Cookie } }) };
}

/** Errors that requests alone cannot provoke, with the files that test them. */
export const UNPROVOKED: Record<string, string> = {
  request_timeout: 'server/test/http/slow-bodies.test.ts',
  http_version_not_supported: 'server/test/http/http-1-0.test.ts',
  too_many_imports: 'server/test/http/dry-runs.test.ts',
  internal_error: 'server/test/http/stream-errors.test.ts',
  unavailable: 'server/test/commands/two-processes.test.ts',
  outcome_unknown: 'server/test/storage/sqlite/write-failures.test.ts',
  storage_full: 'server/test/storage/sqlite/full-disk.test.ts',
  quota_exceeded: 'server/test/http/quotas.test.ts',
};
