import { descriptionOf } from '../../../../testkit/src/ledger.ts';
import type { Random } from '../../random.ts';
import type { FloodOrder, Kind } from './order.ts';

export interface Sent {
  kind: Kind;
  request: Buffer;
  addresses: string[];
}

/** Per thousand requests. */
const MIX: readonly (readonly [kind: Kind, share: number])[] = [
  ['page', 450],
  ['listing', 290],
  ['create', 235],
  ['stranger', 10],
  ['complete list', 10],
  ['import', 5],
];
const IMPORTED = 50;
/** Of all created listings; their description is short. */
export const PRICE = 280;

export class Requests {
  readonly #order: FloodOrder;
  readonly #random: Random;
  readonly #reads: Partial<Record<Kind, Sent>>;
  #made = 0;

  constructor(order: FloodOrder, random: Random) {
    const { keys, listingId } = order;
    this.#order = order;
    this.#random = random;
    this.#reads = {
      page: read('page', '/v1/listings?limit=20', keys.changing),
      listing: read('listing', `/v1/listings/${listingId}`, keys.changing),
      stranger: read('stranger', `/v1/listings/${listingId}`, keys.stranger),
      'complete list': read('complete list', '/v1/listings', keys.listing),
      search: read('search', '/v1/listings?q=lane&sort=-listPrice&limit=20', keys.listing),
    };
  }

  next(): Sent {
    const kind = this.#order.kind ?? this.#pick();
    return this.#reads[kind] ?? this.#change(kind);
  }

  #pick(): Kind {
    let left = this.#random.upTo(999);
    const chosen = MIX.find(([, share]) => {
      left -= share;
      return left < 0;
    });
    return chosen?.[0] ?? 'page';
  }

  #change(kind: Kind): Sent {
    const addresses = Array.from({ length: kind === 'import' ? IMPORTED : 1 }, () => this.#nextAddress());
    const body = addresses.map(bodyOf).join('\n');
    const [path, type] =
      kind === 'import' ? ['/v1/imports', 'application/x-ndjson'] : ['/v1/listings', 'application/json'];
    const head = `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`;
    return { kind, request: toRequest('POST', path, this.#order.keys.changing, head, body), addresses };
  }

  #nextAddress(): string {
    this.#made += 1;
    return `${this.#made} Lane ${this.#order.name}`;
  }
}

export function bodyOf(address: string): string {
  return JSON.stringify({ address, beds: 3, baths: 2, listPrice: PRICE, description: descriptionOf(PRICE) });
}

function read(kind: Kind, path: string, key: string): Sent {
  return { kind, request: toRequest('GET', path, key), addresses: [] };
}

function toRequest(method: string, path: string, key: string, head = '', body = ''): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`];
  return Buffer.from(`${lines.join('\r\n')}\r\n${head}\r\n${body}`, 'latin1');
}

export interface RawReply {
  status: number;
  body: Buffer;
  head: string;
}

const KEY_REFUSED = '{"error":{"code":"unauthorized","message":"Invalid or missing API key"}}';
const REFUSALS: Record<number, string[]> = { 429: ['rate_limited', 'too_many_imports'], 503: ['unavailable'] };

/** What is wrong with a response. A rejection is right if it has the error format and Retry-After. */
export function findFault({ kind }: Sent, { status, body, head }: RawReply, isKeyAsked: boolean): string | undefined {
  const words = `${kind}: ${status} with ${body.toString('utf8', 0, 200)}`;
  if (kind === 'stranger' && status === 401) return body.equals(Buffer.from(KEY_REFUSED)) ? undefined : words;
  if (kind === 'stranger' && (isKeyAsked || status !== 503)) return words;
  if (status === (kind === 'create' ? 201 : 200)) return undefined;
  const codes = REFUSALS[status] ?? [];
  if (!codes.some((code) => body.includes(`{"error":{"code":"${code}","message":"`))) return words;
  return /\r\nretry-after: [1-9]\d*(?:\r\n|$)/i.test(head) ? undefined : `without Retry-After, ${words}`;
}
