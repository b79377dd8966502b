import type { Call } from './call.ts';
import { JSON_TYPE, PATCH_TYPE, toJson, toSegment } from './encode.ts';
import type { components, operations } from './openapi.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { Transport } from './transport.ts';

type Schemas = components['schemas'];

export type Webhook = Schemas['Webhook'];
export type NewWebhook = Schemas['NewWebhook'];
export type WebhookPatch = Schemas['WebhookPatch'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type WebhookTest = Schemas['WebhookTest'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookDeliveryList = Schemas['WebhookDeliveryList'];
export type WebhookDeliveryQuery = NonNullable<operations['listWebhookDeliveries']['parameters']['query']>;

/** Manages the webhook endpoints of an account. The key needs full access. */
export class WebhookEndpoints {
  readonly #transport: Transport;

  /** @throws {ConfigurationError} if the key or the base URL is malformed */
  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(options);
  }

  /** Lists all endpoints, oldest first. */
  list(options?: CallOptions): Call<Schemas['WebhookList']> {
    return this.#transport.call({ method: 'GET', path: '/webhooks' }, options);
  }

  /**
   * Creates an endpoint, which receives every matching event that occurs after its creation. Only the results
   * of this method and of `rollSecret` contain a signing secret.
   */
  create(webhook: NewWebhook, options?: CallOptions): Call<WebhookWithSecret> {
    return this.#transport.call(
      { method: 'POST', path: '/webhooks', headers: JSON_TYPE, body: toJson(webhook) },
      options,
    );
  }

  /** Retrieves an endpoint. @throws {NotFoundError} if the account has no such endpoint */
  retrieve(id: string, options?: CallOptions): Call<Webhook> {
    return this.#transport.call({ method: 'GET', path: pathOf(id) }, options);
  }

  /** Applies a merge patch. An endpoint that is enabled again continues from its position. */
  update(id: string, patch: WebhookPatch, options?: CallOptions): Call<Webhook> {
    return this.#transport.call(
      { method: 'PATCH', path: pathOf(id), headers: PATCH_TYPE, body: toJson(patch) },
      options,
    );
  }

  /** Deletes an endpoint and its deliveries. */
  delete(id: string, options?: CallOptions): Call<void> {
    return this.#transport.callWithoutBody({ method: 'DELETE', path: pathOf(id) }, options);
  }

  /** Creates a new signing secret. For 24 hours, the service signs with both the old and the new secret. */
  rollSecret(id: string, options?: CallOptions): Call<WebhookWithSecret> {
    return this.#transport.call({ method: 'POST', path: `${pathOf(id)}/roll-secret` }, options);
  }

  /** Sends a sample event, waits up to 10 seconds for the endpoint's response, and returns even a failed outcome. */
  test(id: string, options?: CallOptions): Call<WebhookTest> {
    return this.#transport.call({ method: 'POST', path: `${pathOf(id)}/test`, waitMs: TEST_MS }, options);
  }

  /** Moves the endpoint to a sequence, and sends all matching events after it, with the same `webhook-id` as before. */
  replay(id: string, { after }: { after: number }, options?: CallOptions): Call<Webhook> {
    const body = toJson({ after });
    return this.#transport.call({ method: 'POST', path: `${pathOf(id)}/replay`, headers: JSON_TYPE, body }, options);
  }

  /**
   * Retrieves a page of deliveries, highest sequence first: those that are pending, and up to 1,000 in each other
   * state, settled in the last 30 days.
   */
  deliveries(id: string, query: WebhookDeliveryQuery = {}, options?: CallOptions): Call<WebhookDeliveryList> {
    return this.#transport.call({ method: 'GET', path: `${pathOf(id)}/deliveries`, query }, options);
  }

  /** Sends the event of a delivery again, as soon as possible. */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Call<WebhookDelivery> {
    const path = `${pathOf(id)}/deliveries/${toSegment(deliveryId)}/redeliver`;
    return this.#transport.call({ method: 'POST', path }, options);
  }
}

/** How long the service waits for the endpoint's response. */
const TEST_MS = 10_000;

function pathOf(id: string): string {
  return `/webhooks/${toSegment(id)}`;
}
