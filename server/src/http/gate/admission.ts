import { FairQueue } from '../../lib/fair-queue.ts';
import { Line } from '../../lib/line.ts';
import { areConnecting } from '../../lib/turns.ts';
import type { Database } from '../../storage/database.ts';
import { clientAddress, networkOf, type TrustedProxies } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { isProbe } from '../protocol/probes.ts';
import { UnreadConnections } from '../protocol/unread-connections.ts';

/**
 * So long requests are begun in a turn of the event loop, and less where what was begun before takes of it: a request to
 * PostgreSQL meets several turns.
 */
const SHARE_MS = 3;
const SHARE_MIN_MS = 1;
const SHARE_MAX_MS = 6;
/** Where too many wait, those of whom so few wait are still taken, up to so many in all: one sender keeps no others out. */
const MODEST_COUNT = 4;
const WAITING_MAX = 3_000;

/**
 * Where requests wait when more come than can be done. As long as the turns of the event loop are short each is begun as
 * it comes. Otherwise they are only read, and begun one after the other: so it is known how many wait, and whoever has to
 * be refused is told at once.
 */
export class Admission {
  readonly #database: Pick<Database, 'isOverfull'>;
  /** What programs send and what browsers do keep nobody of the other kind out. */
  readonly #lines = { keys: new Line(), people: new Line() };
  readonly #unread = new UnreadConnections(() => this.#lines.keys.room);
  readonly #waiting = new WaitingRequests();
  readonly #trustedProxies: TrustedProxies;
  #isScheduled = false;
  /** When the first and the last request of this turn came; undefined before the first. */
  #firstMs: number | undefined;
  #lastMs = 0;
  /** How long requests came since others were begun. */
  #comingMs = 0;
  /** When requests were last begun. */
  #begunMs = 0;

  constructor(database: Pick<Database, 'isOverfull'>, trustedProxies: TrustedProxies) {
    this.#database = database;
    this.#trustedProxies = trustedProxies;
  }

  /** Whether so much waits that a request is better rejected; `needsKey` tells which line it would wait in. */
  isFull(exchange: Exchange, needsKey: boolean): boolean {
    if (!needsKey) return this.#isTooLong(exchange, this.#lines.people) && !isProbe(exchange);
    return this.#isTooLong(exchange, this.#lines.keys) || this.#database.isOverfull();
  }

  #isTooLong(exchange: Exchange, line: Line): boolean {
    if (!line.isTooLong) return false;
    return this.#waiting.length >= WAITING_MAX || this.#waiting.countOf(this.#senderOf(exchange)) >= MODEST_COUNT;
  }

  /** To be told of each request that is refused because of that. */
  noteRefusal(exchange: Exchange): void {
    this.#unread.add(exchange);
  }

  /** Resolves when a request may begin; undefined if that is now. */
  enter(exchange: Exchange, needsKey: boolean): Promise<void> | undefined {
    const nowMs = performance.now();
    this.#lastMs = nowMs;
    this.#firstMs ??= nowMs;
    this.#schedule();
    const isShort = nowMs - this.#firstMs < SHARE_MS && !areConnecting();
    return (isShort && this.#waiting.length === 0) || isProbe(exchange) ? undefined : this.#wait(exchange, needsKey);
  }

  #wait(exchange: Exchange, needsKey: boolean): Promise<void> {
    const line = needsKey ? this.#lines.keys : this.#lines.people;
    return line.wait(new Promise((resolve) => this.#waiting.add(this.#senderOf(exchange), resolve)));
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
    if (this.#firstMs !== undefined) this.#comingMs += this.#lastMs - this.#firstMs;
    this.#firstMs = undefined;
    if (this.#waiting.length === 0) this.#comingMs = 0;
    else if (areConnecting()) this.#schedule();
    else void this.#begin();
  };

  async #begin(): Promise<void> {
    const nowMs = performance.now();
    const otherMs = nowMs - this.#begunMs - this.#comingMs;
    // Where it takes long to read and refuse what comes, more of the time is for what is begun.
    const shareMs = Math.max(SHARE_MIN_MS, SHARE_MS - otherMs, Math.min(SHARE_MAX_MS, this.#comingMs));
    const endMs = nowMs + shareMs;
    this.#comingMs = 0;
    while (performance.now() < endMs) {
      const start = this.#waiting.take();
      if (start === undefined) return;
      start();
      // What a request does before it waits for something is done first, or all would begin at once.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    this.#begunMs = performance.now();
    if (this.#waiting.length > 0) this.#schedule();
  }
}

/** Who sends a request, as far as that is known before it begins. */
interface Sender {
  network: string;
  /** What the request carries; nothing of it has been checked. */
  authorization: string;
}

/** Requests that wait: networks take turns, and within a network those with the same key. */
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
