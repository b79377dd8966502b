import { type Connection, openConnection } from '../../../../bench/src/connection.ts';
import { createRandom, type Random } from '../../random.ts';
import { clockMs, type FloodOrder, type FloodReport } from './order.ts';
import { type RawReply, Requests, type Sent } from './requests.ts';
import { Tally } from './tally.ts';

/** The system's limit for pending connections; beyond that, the flood would test the system. */
const CONNECTIONS_MAX = 4_000;
/** Opened beforehand, in groups. */
const OPENED_TOGETHER = 100;
const FIRST_REQUEST = Buffer.from('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
const WATCH_INTERVAL_MS = 100;

interface Channel {
  connection: Connection;
  sent: Sent | undefined;
  dueAtMs: number;
  /** The first response on a connection belongs to no due request. */
  onFirst: () => void;
}

/**
 * Resolves once every response has arrived or timed out. `onStart` gets the time of the first due
 * request (`clockMs`).
 */
export async function flood(order: FloodOrder, onStart: (startMs: number) => void): Promise<FloodReport> {
  return new Flood(order).run(onStart);
}

class Flood {
  readonly #order: FloodOrder;
  readonly #random: Random;
  readonly #requests: Requests;
  readonly #channels = new Set<Channel>();
  readonly #idle: Channel[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #tally: Tally;
  #startMs = 0;
  #endMs = 0;
  #nextMs = 0;
  #inFlight = 0;

  constructor(order: FloodOrder) {
    this.#order = order;
    this.#random = createRandom(order.seed);
    this.#tally = new Tally(order.isKeyAsked);
    this.#requests = new Requests(order, this.#random);
  }

  async run(onStart: (startMs: number) => void): Promise<FloodReport> {
    const { inFlight, connections = inFlight ?? 10, seconds, perSecond } = this.#order;
    while (this.#idle.length < connections) await this.#openSome(Math.min(OPENED_TOGETHER, connections));
    this.#tally = new Tally(this.#order.isKeyAsked);
    this.#startMs = performance.now();
    this.#nextMs = this.#startMs;
    this.#endMs = this.#startMs + seconds * 1_000;
    onStart(clockMs());
    const watch = setInterval(() => this.#leave(), WATCH_INTERVAL_MS);
    for (let index = 0; index < (inFlight ?? 0); index += 1) this.#send(performance.now());
    if (perSecond !== undefined) this.#sendDue(perSecond);
    await this.#ended.promise;
    clearInterval(watch);
    for (const { connection } of this.#channels) connection.close();
    return this.#tally.report();
  }

  #sendDue(perSecond: number): void {
    const nowMs = performance.now();
    while (this.#nextMs <= nowMs && this.#nextMs < this.#endMs) {
      this.#send(this.#nextMs);
      this.#nextMs += (-Math.log(1 - this.#random.next()) / perSecond) * 1_000;
    }
    if (this.#nextMs < this.#endMs) setTimeout(() => this.#sendDue(perSecond), this.#nextMs - nowMs);
    else this.#endIfDone();
  }

  #send(dueAtMs: number): void {
    this.#tally.counts.due += 1;
    const channel = this.#idle.pop() ?? this.#open();
    if (channel === undefined) {
      this.#tally.counts.unsent += 1;
      return;
    }
    channel.sent = this.#requests.next();
    channel.dueAtMs = dueAtMs;
    this.#inFlight += 1;
    channel.connection.send(channel.sent.request);
  }

  async #openSome(count: number): Promise<void> {
    const opening = Array.from({ length: count }, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const channel = this.#open(resolve);
      // The service closes connections without a request.
      channel?.connection.send(FIRST_REQUEST);
      await promise;
      if (channel !== undefined) this.#idle.push(channel);
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
    const channel: Channel = { connection, sent: undefined, dueAtMs: 0, onFirst };
    this.#channels.add(channel);
    return channel;
  }

  #hear(channel: Channel, reply: RawReply): void {
    const { sent, dueAtMs } = channel;
    if (sent === undefined) {
      channel.onFirst();
      return;
    }
    channel.sent = undefined;
    const isTimed = performance.timeOrigin + dueAtMs >= (this.#order.timedFromMs ?? 0);
    this.#tally.addReply(sent, reply, isTimed ? performance.now() - dueAtMs : undefined);
    if (/\r\nconnection: close/i.test(reply.head)) this.#close(channel);
    else this.#idle.push(channel);
    this.#settle();
  }

  #lose(channel: Channel, reason: string): void {
    const { sent } = channel;
    channel.sent = undefined;
    this.#close(channel);
    if (sent === undefined) return;
    this.#tally.addLoss(sent, reason);
    this.#settle();
  }

  #close(channel: Channel): void {
    channel.connection.close();
    this.#channels.delete(channel);
    const index = this.#idle.indexOf(channel);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #settle(): void {
    this.#inFlight -= 1;
    const nowMs = performance.now();
    if (this.#order.inFlight !== undefined && nowMs < this.#endMs) this.#send(nowMs);
    else this.#endIfDone();
  }

  #endIfDone(): void {
    const isOver = this.#order.inFlight !== undefined || this.#nextMs >= this.#endMs;
    if (isOver && this.#inFlight === 0) this.#ended.resolve();
  }

  #leave(): void {
    const { patienceSeconds } = this.#order;
    const lastMs = performance.now() - patienceSeconds * 1_000;
    for (const channel of this.#channels)
      if (channel.sent !== undefined && channel.dueAtMs < lastMs) this.#depart(channel, channel.sent);
  }

  #depart(channel: Channel, sent: Sent): void {
    channel.sent = undefined;
    this.#close(channel);
    this.#tally.addDeparture(sent);
    this.#settle();
  }
}
