import type { Engine } from '../../../testkit/src/database.ts';
import { startTestService, type Tenant, type TestService } from '../../../testkit/src/service.ts';
import type { RandomRequest } from './random-requests.ts';

/** A response without the values that differ between the two engines. */
export interface Told {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Values for requests that are sent before a response has contained one. */
const NONE = { id: 'lst_00000000000000000000000000', next: '/listings?limit=2', cursor: 'none', etag: 'W/"none"' };
type Kind = keyof typeof NONE;

/** Headers with unpredictable values. */
const OWN_HEADERS = new Set(['date', 'x-request-id']);

/** A service on one engine. */
export class EngineSide {
  readonly #service: TestService;
  #tenant: Tenant | undefined;
  #epoch = '';
  /** Values from responses, in the order of their first appearance. */
  #known: Record<Kind, string[]> = { id: [], next: [], cursor: [], etag: [] };

  constructor(service: TestService) {
    this.#service = service;
  }

  static async start(engine: Engine): Promise<EngineSide> {
    return new EngineSide(await startTestService({ publicUrl: 'http://listings.example.com', engine }));
  }

  stop(): Promise<void> {
    return this.#service[Symbol.asyncDispose]();
  }

  /** Continues with an empty account. */
  async beginAnew(): Promise<void> {
    this.#tenant = await this.#service.createTenant();
    this.#known = { id: [], next: [], cursor: [], etag: [] };
    const response = await this.#service.fetch(this.#tenant, '/v1/events');
    this.#epoch = Object(await response.json()).epoch;
  }

  async send({ method, path, headers, body }: RandomRequest): Promise<Told> {
    const given = Object.entries(headers).map(([name, value]): [string, string] => [name, this.#fill(value)]);
    const response = await fetch(`${this.#service.url}/v1${this.#fill(path)}`, {
      method,
      headers: { Authorization: `Bearer ${this.#tenant?.key}`, ...Object.fromEntries(given) },
      body: body === undefined ? null : this.#fill(body),
    });
    const told = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name));
    const isPacked = response.headers.has('content-encoding');
    return {
      status: response.status,
      // The length of compressed text depends on its IDs.
      headers: Object.fromEntries(
        told.map(([name, value]) => [name, isPacked && name === 'content-length' ? '' : this.#mask(value)]),
      ),
      body: this.#mask(Buffer.from(await response.arrayBuffer()).toString()),
    };
  }

  #fill(text: string): string {
    return text
      .replaceAll('@epoch@', this.#epoch)
      .replaceAll(/@(id|next|cursor|etag)(\d+)@/g, (_, kind: Kind, at: string) => {
        const known = this.#known[kind];
        return known[Number(at) % known.length] ?? NONE[kind];
      });
  }

  #mask(text: string): string {
    return text
      .replaceAll(/lst_[0-9a-z]{26}/g, (id) => this.#number('id', id))
      .replaceAll(/W\/"[^"]+"/g, (etag) => this.#number('etag', etag))
      .replaceAll(/(?<="nextCursor":")[^"]+/g, (cursor) => this.#number('cursor', cursor))
      .replaceAll(/(?<=<\/v1)[^>]+cursor=[^>]+/g, (next) => this.#number('next', next))
      .replaceAll(/\b(acc|key)_[0-9a-z]{26}/g, '$1_')
      .replaceAll(/(?<="requestId":")[^"]+/g, '')
      .replaceAll(this.#epoch, 'EPOCH');
  }

  /** Names a value by the order of first appearance, which is equal on both engines. */
  #number(kind: Kind, value: string): string {
    const known = this.#known[kind];
    if (!known.includes(value)) known.push(value);
    return `@${kind}${known.indexOf(value)}@`;
  }
}
