import type { Tenant, TestService } from '../../../testkit/src/service.ts';
import { type ClientOptions, PropertyListings } from '../../src/index.ts';

export const HOME = { address: '12 Elm Street', beds: 3, baths: 2 };

/** A client of a new account, straight to the service or by way of `url`. */
export async function connect(
  service: TestService,
  { url = service.url, ...options }: ClientOptions & { url?: string } = {},
): Promise<{ client: PropertyListings; tenant: Tenant }> {
  const tenant = await service.createTenant();
  return { client: clientOf(tenant.key, url, options), tenant };
}

export function clientOf(apiKey: string, url: string, options: ClientOptions = {}): PropertyListings {
  return new PropertyListings({ apiKey, baseUrl: `${url}/v1`, ...options });
}

/** How many changes an account has seen: each write that counted. */
export async function sequenceOf(service: TestService, { accountId }: Tenant): Promise<number> {
  const [head] = await service.sql('select sequence from account_heads where account_id = ?', accountId);
  return Number(head?.sequence);
}
