import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { type Cleanup, defer } from '../../../../testkit/src/cleanup.ts';
import type { Random } from '../../../../testkit/src/random.ts';

/** The share of attempts that fail, with an error status or a lost connection. */
const FAILURES = 0.1;
const PAUSE_MAX_MS = 20;

/** An endpoint that fails at random, and checks each message that it receives. */
export class Receiver {
  url = '';
  secret = '';
  /** While it is away, the receiver resets each connection. */
  isAway = false;
  /** The first promise that the service broke. */
  fault: string | undefined;
  attempts = 0;
  /** When the last attempt arrived (`performance.now()`). */
  lastMs = performance.now();
  repeated = 0;
  /** The `webhook-id` of each delivered event, by its sequence. */
  readonly delivered = new Map<number, string>();
  readonly #random: Random;
  /** The `webhook-id` of each event that was sent, by its sequence. */
  readonly #ids = new Map<number, string>();
  /** The last delivered sequence of each listing. */
  readonly #last = new Map<string, number>();

  private constructor(random: Random) {
    this.#random = random;
  }

  static async start(t: Cleanup, random: Random): Promise<Receiver> {
    const receiver = new Receiver(random);
    const server = createServer((incoming, outgoing) => void receiver.#answer(incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    defer(t, () => {
      server.close();
      server.closeAllConnections();
    });
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    return receiver;
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (this.isAway) return void incoming.socket.resetAndDestroy();
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      // The service was killed while it was sending.
      return;
    }
    this.attempts += 1;
    this.lastMs = performance.now();
    const isFailing = this.#random.next() < FAILURES;
    const mark = this.#check(Buffer.concat(chunks).toString(), incoming.headers);
    await sleep(this.#random.upTo(PAUSE_MAX_MS));
    if (isFailing && this.#random.next() < 0.5) return void incoming.socket.resetAndDestroy();
    if (!isFailing) mark?.();
    outgoing.writeHead(isFailing ? 500 : 204).end();
  }

  /** Checks a message. Returns a function that records the message, to call once it has been accepted. */
  #check(body: string, headers: IncomingMessage['headers']): (() => void) | undefined {
    try {
      new Webhook(this.secret).verify(body, headers as Record<string, string>);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      this.fault ??= `a signature is not valid: ${error.message}`;
      return undefined;
    }
    const id = String(headers['webhook-id']);
    const { sequence, listingId } = JSON.parse(body).data;
    const known = this.#ids.get(sequence);
    if (known !== undefined && known !== id) this.fault ??= `sequence ${sequence} has the ids ${known} and ${id}`;
    this.#ids.set(sequence, id);
    return () => this.#note(sequence, listingId, id);
  }

  #note(sequence: number, listingId: string, id: string): void {
    if (this.delivered.has(sequence)) {
      this.repeated += 1;
      return;
    }
    const last = this.#last.get(listingId) ?? 0;
    if (last > sequence) this.fault ??= `sequence ${sequence} of ${listingId} arrived after ${last}`;
    this.#last.set(listingId, sequence);
    this.delivered.set(sequence, id);
  }
}
