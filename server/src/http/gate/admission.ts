import { Backlog } from '../../lib/backlog.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { areConnecting } from '../../lib/turns.ts';
import type { Database } from '../../storage/database.ts';
import { clientAddress, isBehindProxy, networkOf, type TrustedProxies } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { isProbe } from '../protocol/probes.ts';
import { UnreadConnections } from '../protocol/unread-connections.ts';

/**
 * Time budget per event-loop turn for starting requests. The time that running requests have taken since the
 * last start is deducted, because on PostgreSQL a request takes several turns.
 */
const SHARE_MS = 3;
const SHARE_MIN_MS = 1;
const SHARE_MAX_MS = 6;
/** A sender with fewer waiting requests than this can add one to a full queue, up to `WAITING_MAX` in total. */
const MODEST_COUNT = 4;
const WAITING_MAX = 3_000;

/**
 * Admission control: decides when each request starts. While event-loop turns are short, a request
 * starts when it arrives. Otherwise, requests wait in a queue and start one at a time, so the
 * number of waiting requests is known and excess ones are rejected immediately.
 */
export class Admission {
  readonly #database: Pick<Database, 'isOverfull'>;
  /** The waiting requests of programs and browsers are counted separately, so one kind does not crowd out the other. */
  readonly #backlogs = { keys: new Backlog(), people: new Backlog() };
  readonly #unread = new UnreadConnections(() => this.#backlogs.keys.room);
  readonly #waiting = new WaitingRequests();
  readonly #trustedProxies: TrustedProxies;
  #isScheduled = false;
  /** Arrival times of the turn's first and last requests; `#firstMs` is undefined until one arrives. */
  #firstMs: number | undefined;
  #lastMs = 0;
  /** Time spent receiving requests since requests were last started. */
  #arrivingMs = 0;
  #startedMs = 0;

  constructor(database: Pick<Database, 'isOverfull'>, trustedProxies: TrustedProxies) {
    this.#database = database;
    this.#trustedProxies = trustedProxies;
  }

  /** Whether to reject a request. `needsKey` selects the backlog; if set, the database's queue is checked as well. */
  isFull(exchange: Exchange, needsKey: boolean): boolean {
    if (!needsKey) return this.#isTooLong(exchange, this.#backlogs.people) && !isProbe(exchange);
    return this.#isTooLong(exchange, this.#backlogs.keys) || this.#database.isOverfull();
  }

  #isTooLong(exchange: Exchange, backlog: Backlog): boolean {
    if (!backlog.isTooLong) return false;
    return this.#waiting.length >= WAITING_MAX || this.#waiting.countOf(this.#senderOf(exchange)) >= MODEST_COUNT;
  }

  /** Call this when a request is rejected because of the load on the whole service. */
  noteRejection(exchange: Exchange): void {
    this.#unread.add(exchange);
  }

  noteAccountRejection(exchange: Exchange): void {
    // A proxy's connection can also carry other accounts' requests.
    if (!isBehindProxy(exchange.incoming, this.#trustedProxies)) this.#unread.add(exchange);
  }

  /** Resolves when the request can start; undefined if it can start now. */
  enter(exchange: Exchange, needsKey: boolean): Promise<void> | undefined {
    const nowMs = performance.now();
    this.#lastMs = nowMs;
    this.#firstMs ??= nowMs;
    this.#schedule();
    const isShort = nowMs - this.#firstMs < SHARE_MS && !areConnecting();
    return (isShort && this.#waiting.length === 0) || isProbe(exchange) ? undefined : this.#wait(exchange, needsKey);
  }

  #wait(exchange: Exchange, needsKey: boolean): Promise<void> {
    const backlog = needsKey ? this.#backlogs.keys : this.#backlogs.people;
    return backlog.wait(new Promise((resolve) => this.#waiting.add(this.#senderOf(exchange), resolve)));
  }

  #senderOf({ incoming }: Exchange): Sender {
    const network = networkOf(clientAddress(incoming, this.#trustedProxies));
    return { network, authorization: incoming.headers.authorization ?? '' };
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#isScheduled = false;
    if (this.#firstMs !== undefined) this.#arrivingMs += this.#lastMs - this.#firstMs;
    this.#firstMs = undefined;
    if (this.#waiting.length === 0) this.#arrivingMs = 0;
    else if (areConnecting()) this.#schedule();
    else void this.#start();
  };

  async #start(): Promise<void> {
    const nowMs = performance.now();
    const otherMs = nowMs - this.#startedMs - this.#arrivingMs;
    // Starting requests gets at least as much time as receiving and rejecting requests took, up to the maximum.
    const shareMs = Math.max(SHARE_MIN_MS, SHARE_MS - otherMs, Math.min(SHARE_MAX_MS, this.#arrivingMs));
    const endMs = nowMs + shareMs;
    this.#arrivingMs = 0;
    while (performance.now() < endMs) {
      const start = this.#waiting.take();
      if (start === undefined) return;
      start();
      // Lets the request run up to its first await; otherwise all requests would start at once.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    this.#startedMs = performance.now();
    if (this.#waiting.length > 0) this.#schedule();
  }
}

/** The sender of a request, as known before authentication. */
interface Sender {
  network: string;
  authorization: string;
}

/** Waiting requests. Networks take turns, and so do the keys within a network. */
class WaitingRequests {
  readonly #networks = new Map<string, FairQueue<string, () => void>>();
  length = 0;

  countOf({ network, authorization }: Sender): number {
    return this.#networks.get(network)?.countOf(authorization) ?? 0;
  }

  add({ network, authorization }: Sender, start: () => void): void {
    const requests = this.#networks.get(network) ?? new FairQueue<string, () => void>();
    this.#networks.set(network, requests);
    requests.add(authorization, start);
    this.length += 1;
  }

  take(): (() => void) | undefined {
    const [next] = this.#networks;
    if (next === undefined) return undefined;
    const [network, requests] = next;
    const start = requests.take();
    this.#networks.delete(network);
    if (!requests.isEmpty) this.#networks.set(network, requests);
    this.length -= 1;
    return start;
  }
}
