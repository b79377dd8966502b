import type { TestContext } from 'node:test';
import type { Tenant, TestService } from '../../../testkit/src/service.ts';
import { type ClientOptions, PropertyListings } from '../../src/index.ts';
import { proxyFor } from './proxy.ts';

export const HOME = { address: '12 Elm Street', beds: 3, baths: 2 };

/** Creates an account and a client that connects directly or through `url`. */
export async function connect(
  service: TestService,
  { url = service.url, ...options }: ClientOptions & { url?: string } = {},
): Promise<{ client: PropertyListings; tenant: Tenant }> {
  const tenant = await service.createTenant();
  return { client: clientOf(tenant.key, url, options), tenant };
}

/** Creates an account and a client that connects through a proxy. */
export async function connectByProxy(t: TestContext, service: TestService, options: ClientOptions = {}) {
  const proxy = await proxyFor(t, service.url);
  return { proxy, ...(await connect(service, { url: proxy.url, ...options })) };
}

export function clientOf(apiKey: string, url: string, options: ClientOptions = {}): PropertyListings {
  return new PropertyListings({ apiKey, baseUrl: `${url}/v1`, ...options });
}

/** The number of changes in an account. */
export async function sequenceOf(service: TestService, { accountId }: Tenant): Promise<number> {
  const [head] = await service.sql('select sequence from account_heads where account_id = ?', accountId);
  return Number(head?.sequence);
}
