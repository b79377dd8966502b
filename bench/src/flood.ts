import { setTimeout as sleep } from 'node:timers/promises';
import { generator } from '../../testkit/src/random-json.ts';
import { type Connection, openConnection } from './connection.ts';
import { clockMs, type FloodOrder, type FloodReport } from './flood-order.ts';
import { type RawReply, Requests, type Sent, Tally } from './flood-tally.ts';

/** Below the operating system's limit on connections that wait to be accepted, which the flood must not test. */
const CONNECTIONS_MAX = 4_000;
/** The number of connections that are opened at a time. */
const OPENED_TOGETHER = 100;
const FIRST_REQUEST = Buffer.from('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
const WATCH_INTERVAL_MS = 100;

interface Channel {
  connection: Connection;
  sent: Sent | undefined;
  /** The tally of the period in which `sent` was due. */
  tally: Tally;
  dueAtMs: number;
  /** Called for the response to `FIRST_REQUEST`. */
  onFirst: () => void;
}

/** Sends requests at a fixed rate, regardless of the responses, or keeps a fixed number in flight. */
export class Flood {
  readonly #order: FloodOrder;
  readonly #random: () => number;
  readonly #requests: Requests;
  readonly #channels = new Set<Channel>();
  readonly #idle: Channel[] = [];
  #tally: Tally;
  #count = 0;
  #nextMs = 0;
  #endMs = Number.POSITIVE_INFINITY;
  #watch: NodeJS.Timeout | undefined;

  constructor(order: FloodOrder) {
    this.#order = order;
    this.#random = generator(order.seed);
    this.#tally = new Tally(order.isKeyAsked);
    this.#requests = new Requests(order, this.#random);
  }

  /**
   * Resolves once every request has got its response, has timed out, or has lost its connection. `onStart`
   * receives the time at which the first request is due (`clockMs`).
   */
  async run(seconds: number, onStart: (startMs: number) => void): Promise<FloodReport> {
    const { inFlight, connections = inFlight ?? 10 } = this.#order;
    while (this.#idle.length < connections) await this.#openSome(Math.min(OPENED_TOGETHER, connections));
    onStart(clockMs());
    const report = await this.during(async () => {
      this.start(seconds);
      await sleep(seconds * 1_000);
      // Otherwise, a late timer could send requests that the report does not contain.
      this.#endMs = 0;
    });
    this.stop();
    return report;
  }

  start(seconds = Number.POSITIVE_INFINITY): void {
    this.#nextMs = performance.now();
    this.#endMs = this.#nextMs + seconds * 1_000;
    this.#watch = setInterval(() => this.#leave(), WATCH_INTERVAL_MS);
    for (let index = 0; index < (this.#order.inFlight ?? 0); index += 1) this.#send(performance.now());
    if (this.#order.perSecond !== undefined) this.#sendDue(1_000 / this.#order.perSecond);
  }

  /** Reports on the requests that become due while `work` runs. */
  async during(work: () => Promise<unknown>): Promise<FloodReport> {
    const tally = new Tally(this.#order.isKeyAsked);
    this.#tally = tally;
    await work();
    this.#tally = new Tally(this.#order.isKeyAsked);
    await tally.settled();
    return tally.report();
  }

  stop(): void {
    this.#endMs = 0;
    clearInterval(this.#watch);
    for (const { connection } of this.#channels) connection.close();
  }

  #sendDue(intervalMs: number): void {
    const nowMs = performance.now();
    while (this.#nextMs <= nowMs && this.#nextMs < this.#endMs) {
      this.#send(this.#nextMs);
      this.#nextMs += this.#order.isSteady ? intervalMs : -Math.log(1 - this.#random()) * intervalMs;
    }
    if (this.#nextMs < this.#endMs) setTimeout(() => this.#sendDue(intervalMs), this.#nextMs - nowMs);
  }

  #send(dueAtMs: number): void {
    this.#count += 1;
    const tally = this.#tally;
    tally.counts.due += 1;
    const isFresh = this.#count % (this.#order.freshEvery ?? Number.POSITIVE_INFINITY) === 0;
    const channel = (isFresh ? undefined : this.#idle.pop()) ?? this.#open();
    if (channel === undefined) {
      tally.counts.unsent += 1;
      return;
    }
    const sent = this.#requests.next();
    Object.assign(channel, { sent, dueAtMs, tally });
    tally.pending += 1;
    channel.connection.send(sent.request);
  }

  async #openSome(count: number): Promise<void> {
    const opening = Array.from({ length: count }, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const channel = this.#open(resolve);
      if (channel === undefined) return;
      // Send a request, because the service closes connections that do not send any.
      channel.connection.send(FIRST_REQUEST);
      await promise;
      if (this.#channels.has(channel)) this.#idle.push(channel);
    });
    await Promise.all(opening);
  }

  #open(onFirst = () => {}): Channel | undefined {
    if (this.#channels.size >= CONNECTIONS_MAX) return undefined;
    const connection = openConnection(
      this.#order.port,
      () => {},
      (status, body, head) => this.#hear(channel, { status, body, head }),
      (reason) => this.#lose(channel, reason),
    );
    const channel: Channel = { connection, sent: undefined, tally: this.#tally, dueAtMs: 0, onFirst };
    this.#channels.add(channel);
    return channel;
  }

  #hear(channel: Channel, reply: RawReply): void {
    const { sent, dueAtMs, tally } = channel;
    if (sent === undefined) {
      channel.onFirst();
      return;
    }
    const isTimed = performance.timeOrigin + dueAtMs >= (this.#order.timedFromMs ?? 0);
    tally.addReply(sent, reply, isTimed ? performance.now() - dueAtMs : undefined);
    const isSpare = this.#idle.length >= (this.#order.idleMax ?? CONNECTIONS_MAX);
    channel.sent = undefined;
    if (isSpare || /\r\nconnection: close/i.test(reply.head)) this.#close(channel);
    else this.#idle.push(channel);
    this.#settle(tally);
  }

  #lose(channel: Channel, reason: string): void {
    const { sent, tally } = channel;
    this.#close(channel);
    channel.onFirst();
    if (sent === undefined) return;
    tally.addLoss(sent, reason);
    this.#settle(tally);
  }

  #close(channel: Channel): void {
    channel.sent = undefined;
    channel.connection.close();
    this.#channels.delete(channel);
    const index = this.#idle.indexOf(channel);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #settle(tally: Tally): void {
    const nowMs = performance.now();
    if (this.#order.inFlight !== undefined && nowMs < this.#endMs) this.#send(nowMs);
    tally.settle();
  }

  /** Abandons requests that take too long. */
  #leave(): void {
    const lastMs = performance.now() - this.#order.patienceSeconds * 1_000;
    for (const channel of this.#channels) {
      const { sent, tally, dueAtMs } = channel;
      if (sent === undefined || dueAtMs >= lastMs) continue;
      this.#close(channel);
      tally.addDeparture(sent);
      this.#settle(tally);
    }
  }
}
