import { type Connection, openConnection } from '../../../../bench/src/connection.ts';
import { listingSource } from '../../../../bench/src/listings.ts';
import { serializeCall } from '../../../../bench/src/requests.ts';

type Kind = 'read' | 'write';

const TURNS = ['listing', 'page', 'create', 'listing', 'filtered', 'patch'] as const;
const PER_SECOND = 100;
/** A slower response counts as none. */
const PATIENCE_MS = 5_000;
/** One request of this many uses a new connection. */
const FRESH_EVERY = 10;
const IDLE_MAX = 20;
const WORDS_MAX = 5;

export interface Noticed {
  /** p99 of reads and of writes. */
  readMs: number;
  writeMs: number;
  requests: number;
  failed: number;
  words: string[];
}

/** A connection that serves one request after another. */
interface Channel extends Connection {
  onReply(status: number, body: Buffer): void;
  onFault(reason: string): void;
}

interface Sample {
  kind: Kind;
  durationMs: number;
}

/** Another account with normal load: requests at a fixed rate, independent of earlier responses. */
export class Neighbour {
  readonly #port: number;
  readonly #key: string;
  readonly #ids: readonly string[];
  readonly #newListing: () => object;
  readonly #idle: Channel[] = [];
  readonly #pending = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  readonly #startMs = performance.now();
  #samples: Sample[] = [];
  #failures: string[] = [];
  #count = 0;

  constructor(port: number, key: string, ids: readonly string[], name: string) {
    this.#port = port;
    this.#key = key;
    this.#ids = ids;
    this.#newListing = listingSource(ids.length, name);
    this.#timer = setInterval(() => this.#askWhatIsDue(), 1);
  }

  async during(work: () => Promise<void>): Promise<Noticed> {
    await Promise.all(this.#pending);
    this.#samples = [];
    this.#failures = [];
    await work();
    const samples = this.#samples;
    const failures = this.#failures;
    await Promise.all(this.#pending);
    const p99Of = (wanted: Kind) => {
      const durations = samples.filter(({ kind }) => kind === wanted).map(({ durationMs }) => durationMs);
      return durations.sort((left, right) => left - right)[Math.ceil(durations.length * 0.99) - 1] ?? PATIENCE_MS;
    };
    return {
      readMs: p99Of('read'),
      writeMs: p99Of('write'),
      requests: samples.length,
      failed: failures.length,
      words: failures.slice(0, WORDS_MAX),
    };
  }

  end(): void {
    clearInterval(this.#timer);
    for (const connection of this.#idle) connection.close();
  }

  #askWhatIsDue(): void {
    for (;;) {
      const dueMs = this.#startMs + (this.#count * 1_000) / PER_SECOND;
      if (dueMs > performance.now()) return;
      const asked = this.#ask(this.#count, dueMs);
      this.#count += 1;
      this.#pending.add(asked);
      asked.finally(() => this.#pending.delete(asked));
    }
  }

  async #ask(count: number, dueMs: number): Promise<void> {
    // Responses count for the period of their requests.
    const [samples, failures] = [this.#samples, this.#failures];
    const { kind, status, call } = this.#callOf(count);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const patience = setTimeout(() => resolve(`no reply for ${PATIENCE_MS} ms`), PATIENCE_MS);
    const connection = (count % FRESH_EVERY === 0 ? undefined : this.#idle.pop()) ?? this.#open();
    connection.onReply = (got, body) => resolve(got === status ? undefined : `${got} ${body.toString('utf8', 0, 200)}`);
    connection.onFault = resolve;
    connection.send(serializeCall(this.#port, call));
    const failure = await promise;
    clearTimeout(patience);
    samples.push({ kind, durationMs: performance.now() - dueMs });
    if (failure !== undefined) failures.push(`${call.method} ${call.path}: ${failure}`);
    if (failure === undefined && this.#idle.length < IDLE_MAX) this.#keep(connection);
    else connection.close();
  }

  #open(): Channel {
    const channel: Channel = {
      ...openConnection(
        this.#port,
        () => {},
        (status, body) => channel.onReply(status, body),
        (reason) => channel.onFault(reason),
      ),
      onReply: () => {},
      onFault: () => {},
    };
    return channel;
  }

  #keep(channel: Channel): void {
    channel.onFault = () => {
      const index = this.#idle.indexOf(channel);
      if (index >= 0) this.#idle.splice(index, 1);
    };
    this.#idle.push(channel);
  }

  #callOf(count: number) {
    const key = this.#key;
    const id = this.#ids[count % this.#ids.length];
    const read = (path: string) => ({ kind: 'read', status: 200, call: { method: 'GET', path, key } }) as const;
    switch (TURNS[count % TURNS.length]) {
      case 'page':
        return read('/v1/listings?limit=20');
      case 'filtered':
        return read('/v1/listings?limit=20&city=Austin&beds[gte]=2');
      case 'create': {
        const call = { method: 'POST', path: '/v1/listings', key, body: JSON.stringify(this.#newListing()) } as const;
        return { kind: 'write', status: 201, call } as const;
      }
      case 'patch': {
        const body = JSON.stringify({ listPrice: count + 1 });
        const call = { method: 'PATCH', path: `/v1/listings/${id}`, key, body } as const;
        return { kind: 'write', status: 200, call } as const;
      }
      default:
        return read(`/v1/listings/${id}`);
    }
  }
}
