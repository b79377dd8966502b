import type { Tenant, TestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';

export interface ShownWebhook {
  id: string;
  url: string;
  enabled: boolean;
  position: number;
  pending: number;
  failingSince: string | null;
  disabledAt: string | null;
  oldSecretExpiresAt: string | null;
  secret: string;
}

export interface ShownDelivery {
  id: string;
  state: string;
  sequence: number;
  lastSequence: number;
  attempts: number;
  nextAttemptAt: string | null;
  lastAttemptAt: string | null;
  status: number | null;
  response: string | null;
  error: string | null;
}

/** Calls the webhook operations of an account. */
export class Webhooks {
  readonly #service: TestService;
  readonly tenant: Tenant;

  constructor(service: TestService, tenant: Tenant) {
    this.#service = service;
    this.tenant = tenant;
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await this.#service.fetch(this.tenant, path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    });
    const text = await response.text();
    return { response, status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  async create(url: string, more: object = {}): Promise<ShownWebhook> {
    const { status, body } = await this.call('POST', '/v1/webhooks', { url, ...more });
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  }

  async get(id: string): Promise<ShownWebhook> {
    return (await this.call('GET', `/v1/webhooks/${id}`)).body;
  }

  async deliveries(id: string, query = ''): Promise<ShownDelivery[]> {
    return (await this.call('GET', `/v1/webhooks/${id}/deliveries${query}`)).body.data;
  }

  /** Creates a listing, and changes it `changes` times. */
  async createListing(changes = 0): Promise<string> {
    const { body } = await this.call('POST', '/v1/listings', { address: '12 Elm Street', beds: 3, baths: 2 });
    for (let count = 0; count < changes; count += 1)
      await this.call('PATCH', `/v1/listings/${body.id}`, { listPrice: 1000 + count });
    return body.id;
  }

  /** Waits until every event up to this sequence is settled. */
  async untilSettled(id: string, sequence: number): Promise<ShownWebhook> {
    return until(`${id} has settled ${sequence}`, async () => {
      const webhook = await this.get(id);
      return webhook.position >= sequence && webhook.pending === 0 && webhook;
    });
  }
}
