import type { DocumentedOperation } from './openapi.ts';
import { readListing } from './replies.ts';
import type { Tenant, TestService } from './service.ts';

/** Where an operation of the document is called: an account with the listing of the examples, or without any. */
export interface World {
  service: TestService;
  tenant: Tenant;
  /** The id of its listing. */
  id: string;
}

/** What a call sends other than the document's own example. */
export interface Change {
  path?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string;
  tenant?: Tenant;
}

/** An account with this listing. */
export async function createWorld(service: TestService, listing: unknown): Promise<World> {
  const tenant = await service.createTenant();
  const headers = { 'Content-Type': 'application/json' };
  const created = service.fetch(tenant, '/v1/listings', { method: 'POST', headers, body: JSON.stringify(listing) });
  return { service, tenant, id: (await readListing(await created, 201)).id };
}

/** Calls an operation as the document has it, with the listing of the world as the one it is about. */
export function call(
  { service, tenant, id }: World,
  operation: DocumentedOperation,
  change: Change = {},
): Promise<Response> {
  const { path, method, requestBody } = operation;
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  const example = media?.example;
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  const url = path.replace('{id}', id).replace('{externalId}', 'MLS-20931');
  const query = change.query === undefined ? '' : `?${change.query}`;
  return service.fetch(change.tenant ?? tenant, `/v1${change.path ?? url}${query}`, {
    method: method.toUpperCase(),
    headers: { ...(type !== undefined && { 'Content-Type': type }), ...change.headers },
    body: change.body ?? text ?? null,
  });
}
