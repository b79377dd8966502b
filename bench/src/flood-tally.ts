import { createHistogram, monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks';
import { NDJSON } from '../../testkit/src/imports.ts';
import { descriptionOf } from '../../testkit/src/ledger.ts';
import { KEY_REJECTED } from '../../testkit/src/replies.ts';
import type { FloodCounts, FloodOrder, FloodReport, Kind } from './flood-order.ts';

const NANOSECONDS_PER_MS = 1e6;
const FAULTS_TOLD_MAX = 5;

export class Tally {
  readonly counts: FloodCounts = {
    ...{ due: 0, unsent: 0, departed: 0, statuses: {}, faultCount: 0, faults: [], lost: {} },
    told: { stored: [], refused: [], unknown: [] },
  };
  readonly #accepted = createHistogram();
  readonly #read = createHistogram();
  readonly #written = createHistogram();
  readonly #refused = createHistogram();
  readonly #ownDelays = monitorEventLoopDelay();
  readonly #isKeyAsked: boolean;
  readonly #startMs = performance.now();
  readonly #settled = Promise.withResolvers<void>();
  #isOver = false;
  pending = 0;

  constructor(isKeyAsked: boolean) {
    this.#isKeyAsked = isKeyAsked;
    this.#ownDelays.enable();
  }

  /** Records that a request has its outcome. */
  settle(): void {
    this.pending -= 1;
    if (this.#isOver && this.pending === 0) this.#settled.resolve();
  }

  /** Resolves once every request that was due so far has its outcome. */
  settled(): Promise<void> {
    this.#isOver = true;
    if (this.pending === 0) this.#settled.resolve();
    return this.#settled.promise;
  }

  /** `durationMs` is undefined if the response is not timed. */
  addReply(sent: Sent, reply: RawReply, durationMs?: number): void {
    const { status, body } = reply;
    const { statuses, told, faults } = this.counts;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (durationMs !== undefined && sent.kind !== 'stranger') this.#time(sent, status, durationMs);
    if (status < 300) told.stored.push(...sent.addresses);
    // An interrupted import reports how many rows it saved, but not which ones.
    else if (/"created":[1-9]/.test(body.toString('utf8'))) told.unknown.push(...sent.addresses);
    else told.refused.push(...sent.addresses);
    const fault = findFault(sent, reply, this.#isKeyAsked);
    if (fault === undefined) return;
    this.counts.faultCount += 1;
    if (faults.length < FAULTS_TOLD_MAX) faults.push(fault);
  }

  addDeparture(sent: Sent): void {
    this.counts.departed += 1;
    this.counts.told.unknown.push(...sent.addresses);
  }

  addLoss(sent: Sent, reason: string): void {
    const { lost, told } = this.counts;
    lost[reason] = (lost[reason] ?? 0) + 1;
    told.unknown.push(...sent.addresses);
  }

  #time({ kind }: Sent, status: number, durationMs: number): void {
    // A histogram rejects zero.
    const durationNs = Math.max(1, Math.round(durationMs * NANOSECONDS_PER_MS));
    const histogram = status < 300 ? this.#accepted : this.#refused;
    histogram.record(durationNs);
    (kind === 'create' || kind === 'patch' ? this.#written : this.#read).record(durationNs);
  }

  report(): FloodReport {
    this.#ownDelays.disable();
    const seconds = (performance.now() - this.#startMs) / 1_000;
    const completed = this.#accepted.count;
    return {
      ...this.counts,
      ...{ completed, completedPerSecond: completed / seconds },
      p50Ms: toMs(this.#accepted.percentile(50)),
      p99Ms: p99Of(this.#accepted),
      readP99Ms: p99Of(this.#read),
      writeP99Ms: p99Of(this.#written),
      slowestMs: toMs(this.#accepted.max),
      refused: this.#refused.count,
      refusedP99Ms: p99Of(this.#refused),
      ownDelayMs: toMs(this.#ownDelays.max),
    };
  }
}

function p99Of(histogram: RecordableHistogram): number {
  return histogram.count === 0 ? 0 : toMs(histogram.percentile(99));
}

function toMs(durationNs: number): number {
  return durationNs / NANOSECONDS_PER_MS;
}

export interface Sent {
  kind: Kind;
  request: Buffer;
  addresses: string[];
}

/** The default number of requests of each kind, per thousand. */
const USUAL_MIX: NonNullable<FloodOrder['mix']> = [
  ['page', 450],
  ['listing', 290],
  ['create', 235],
  ['stranger', 10],
  ['complete list', 10],
  ['import', 5],
];
const IMPORTED = 50;
/** The ledger derives a listing's description from its price; this price gives a short one. */
export const PRICE = 280;

export class Requests {
  readonly #order: FloodOrder;
  readonly #random: () => number;
  readonly #reads: Partial<Record<Kind, readonly Sent[]>>;
  /** The kinds of requests, each repeated as often as its share requires. */
  readonly #kinds: readonly Kind[];
  #made = 0;

  constructor(order: FloodOrder, random: () => number) {
    const { keys, listingIds, mix = USUAL_MIX } = order;
    this.#order = order;
    this.#random = random;
    this.#kinds = mix.flatMap(([kind, share]) => Array<Kind>(share).fill(kind));
    this.#reads = {
      page: [read('page', '/v1/listings?limit=20', keys.changing)],
      filtered: [read('filtered', '/v1/listings?limit=20&city=Austin&beds[gte]=2', keys.changing)],
      listing: listingIds.map((id) => read('listing', `/v1/listings/${id}`, keys.changing)),
      stranger: listingIds.map((id) => read('stranger', `/v1/listings/${id}`, keys.stranger)),
      'complete list': [read('complete list', '/v1/listings', keys.listing)],
    };
  }

  next(): Sent {
    const kind = this.#pick(this.#kinds);
    if (kind === 'search') return this.#search();
    const reads = this.#reads[kind];
    return reads === undefined ? this.#change(kind) : this.#pick(reads);
  }

  /** A search that matches every listing. No two are equal, so the service cannot send an earlier response again. */
  #search(): Sent {
    const price = (this.#count() / 100_000).toFixed(5);
    const query = `q=lane&beds[gte]=2&listPrice[gte]=${price}&count=true&limit=20`;
    return read('search', `/v1/listings?${query}`, this.#order.keys.listing);
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random() * values.length)];
    if (value === undefined) throw new Error('A flood needs listings and kinds of requests.');
    return value;
  }

  #change(kind: Kind): Sent {
    const key = this.#order.keys.changing;
    if (kind === 'patch') {
      const path = `/v1/listings/${this.#pick(this.#order.listingIds)}`;
      return {
        kind,
        request: toRequest('PATCH', path, key, JSON.stringify({ listPrice: this.#count() })),
        addresses: [],
      };
    }
    const addresses = Array.from(
      { length: kind === 'import' ? IMPORTED : 1 },
      () => `${this.#count()} Lane ${this.#order.name}`,
    );
    const body = addresses.map(bodyOf).join('\n');
    const request =
      kind === 'import'
        ? toRequest('POST', '/v1/imports', key, body, NDJSON)
        : toRequest('POST', '/v1/listings', key, body);
    return { kind, request, addresses };
  }

  #count(): number {
    this.#made += 1;
    return this.#made;
  }
}

export function bodyOf(address: string): string {
  return JSON.stringify({ address, beds: 3, baths: 2, listPrice: PRICE, description: descriptionOf(PRICE) });
}

function read(kind: Kind, path: string, key: string): Sent {
  return { kind, request: toRequest('GET', path, key), addresses: [] };
}

function toRequest(method: string, path: string, key: string, body = '', type = 'application/json'): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`];
  if (body !== '') lines.push(`Content-Type: ${type}`, `Content-Length: ${body.length}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

export interface RawReply {
  status: number;
  body: Buffer;
  head: string;
}

const REFUSALS: Record<number, string[]> = { 429: ['rate_limited', 'too_many_imports'], 503: ['unavailable'] };

/** Describes what is wrong with a response. A rejection must have the error format and Retry-After. */
function findFault({ kind }: Sent, { status, body, head }: RawReply, isKeyAsked: boolean): string | undefined {
  const words = `${kind}: ${status} with ${body.toString('utf8', 0, 200)}`;
  if (kind === 'stranger' && status === 401) return body.equals(Buffer.from(KEY_REJECTED)) ? undefined : words;
  if (kind === 'stranger' && (isKeyAsked || status !== 503)) return words;
  if (status === (kind === 'create' ? 201 : 200)) return undefined;
  const codes = REFUSALS[status] ?? [];
  if (!codes.some((code) => body.includes(`{"error":{"code":"${code}","message":"`))) return words;
  return /\r\nretry-after: [1-9]\d*(?:\r\n|$)/i.test(head) ? undefined : `without Retry-After, ${words}`;
}
