import { importOperation } from '../../server/src/http/contract/operations/imports.ts';
import { addKeyHour } from '../../server/src/storage/key-hours.ts';
import { Browser, createPerson, signIn } from './browser.ts';
import type { DocumentedOperation } from './openapi.ts';
import { readListing } from './replies.ts';
import type { TestService } from './service.ts';

export interface Caller {
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** One of the service's APIs, and how to obtain its credentials. */
export interface Gate {
  base: string;
  /** Creates an account, and a caller with full access to it. */
  enter(service: TestService): Promise<{ accountId: string; caller: Caller; memberId?: string }>;
  /** Returns a caller without credentials. */
  nobody(service: TestService): Caller;
}

export const KEY_GATE: Gate = {
  base: '/v1',
  async enter(service) {
    const tenant = await service.createTenant();
    return { accountId: tenant.accountId, caller: { fetch: (path, init) => service.fetch(tenant, path, init) } };
  },
  nobody: (service) => ({ fetch: (path, init) => fetch(`${service.url}${path}`, init) }),
};

export const SESSION_GATE: Gate = {
  base: '/admin',
  async enter(service) {
    const person = await createPerson(service);
    return { accountId: person.accountId, caller: await signIn(service, person), memberId: person.userId };
  },
  nobody: (service) => new Browser(service),
};

/** An account, and a caller for the operations of an OpenAPI document. */
export interface World {
  service: TestService;
  gate: Gate;
  accountId: string;
  caller: Caller;
  /** Path parameters by name. */
  ids: Record<string, string>;
}

const EXTERNAL_ID = 'MLS-20931';

export async function createEmptyWorld(service: TestService, gate: Gate): Promise<World> {
  const { memberId = '', ...entered } = await gate.enter(service);
  return { service, gate, ...entered, ids: { externalId: EXTERNAL_ID, memberId, name: 'mls' } };
}

export async function createWorld(service: TestService, gate: Gate, listing: unknown): Promise<World> {
  const world = await createEmptyWorld(service, gate);
  const { id } = await readListing(await sendJson(world, 'POST', '/listings', listing), 201);
  return { ...world, ids: { ...world.ids, id } };
}

/** Adds the API key from the document's examples. */
export async function addKey(world: World): Promise<void> {
  const { id: keyId } = Object(await (await sendJson(world, 'POST', '/api-keys', { name: 'Website' })).json());
  world.ids.keyId = keyId;
}

export async function addMember(world: World): Promise<void> {
  world.ids.memberId = (await createPerson(world.service, { accountId: world.accountId, role: 'member' })).userId;
}

/** Adds the invitation from the document's examples. */
export async function addInvitation(world: World): Promise<void> {
  const given = { email: 'grace@example.com', role: 'member' };
  const { id } = Object(await (await sendJson(world, 'POST', '/invitations', given)).json());
  world.ids.invitationId = id;
}

/** Adds the feed from the document's examples, with a failed row. */
export async function addFeed(world: World): Promise<void> {
  const { body } = importOperation;
  const response = await sendJson(world, 'PUT', '/feeds/mls?failedMax=1', body?.example);
  world.ids.runId = Object(await response.json()).id;
}

/** Adds the webhook endpoint from the document's examples. Set `url` if the endpoint must respond. */
export async function addWebhook(world: World, url = 'https://example.com/webhooks'): Promise<void> {
  const { id } = Object(await (await sendJson(world, 'POST', '/webhooks', { url, description: 'Website' })).json());
  world.ids.webhookId = id;
}

/** Records that a request was sent with the key. */
export async function useKey({ service, accountId, ids }: World): Promise<void> {
  const hour = { keyId: ids.keyId ?? '', hour: Math.floor(Date.now() / 3_600_000) * 3_600_000, requests: 1, errors: 0 };
  await service.database.write((session) => addKeyHour(session, accountId, hour));
}

/** With a new key, sends the request that is in the examples of the request log. */
export async function logRequest(world: World): Promise<void> {
  const { service, accountId, caller, ids } = world;
  const tenant = await service.createKey(accountId);
  await (await service.fetch(tenant, '/v1/listings?limit=0')).text();
  const { data } = Object(await (await caller.fetch('/admin/requests')).json());
  ids.entryId = data[0].id;
}

/** `path` is relative to the API's base. A string body is sent unchanged. */
export function sendJson(
  { gate, caller }: World,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { 'Content-Type': 'application/json', ...headers };
  return caller.fetch(gate.base + path, { method, headers: all, body: text });
}

/** How a call differs from the document's example. */
export interface Change {
  path?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string;
  caller?: Caller;
}

/** Calls an operation with the document's example and the world's path parameters. */
export function call(
  { gate, caller, ids }: Pick<World, 'gate' | 'caller' | 'ids'>,
  operation: DocumentedOperation,
  change: Change = {},
) {
  const { path, method, requestBody } = operation;
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  const example = media?.example;
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'nobody');
  const query = change.query === undefined ? '' : `?${change.query}`;
  return (change.caller ?? caller).fetch(`${gate.base}${change.path ?? url}${query}`, {
    method: method.toUpperCase(),
    headers: { ...(type !== undefined && { 'Content-Type': type }), ...change.headers },
    body: change.body ?? text ?? null,
  });
}
