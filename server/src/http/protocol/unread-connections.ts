import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';

const UNREAD_MS = 1_000;
const CHECK_INTERVAL_MS = 20;
/**
 * While requests are being rejected, at most this many connections are read again per check, 1,000 per second.
 * Otherwise, if thousands of clients ignored `Retry-After`, rejecting their requests would take most of the time.
 */
const OVERDUE_PER_CHECK = 20;
/** With more than 4,000 connections, this share is read again per check, so that each waits at most four seconds. */
const OVERDUE_SHARE = CHECK_INTERVAL_MS / 4_000;

/**
 * After a rejected request, stops reading its connection until there is room for more requests. Otherwise, a client
 * or proxy could send the next request immediately, and rejecting it would delay accepted requests.
 */
export class UnreadConnections {
  /** When to read each connection again even while requests are being rejected; the earliest is first. */
  readonly #dueMs = new Map<Socket, number>();
  readonly #room: () => number;
  #timer: NodeJS.Timeout | undefined;
  /** Whether a request has been rejected since the last check. */
  #isRejecting = false;

  /** `room` returns how many requests could be accepted now. */
  constructor(room: () => number) {
    this.#room = room;
  }

  /** Pauses the connection once the response is sent. */
  add({ incoming, outgoing }: Exchange): void {
    const { socket } = incoming;
    outgoing.once('close', () => {
      this.#isRejecting = true;
      if (socket.destroyed || !incoming.complete) return;
      socket.pause();
      // With pipelining, several requests of a connection can be rejected.
      this.#dueMs.delete(socket);
      this.#dueMs.set(socket, performance.now() + UNREAD_MS);
      this.#timer ??= setInterval(this.#check, CHECK_INTERVAL_MS);
    });
  }

  readonly #check = (): void => {
    const nowMs = performance.now();
    const overdueMax = Math.max(OVERDUE_PER_CHECK, Math.ceil(this.#dueMs.size * OVERDUE_SHARE));
    // `room` does not cover all reasons for rejections, such as a full queue for the database.
    const room = this.#isRejecting ? 0 : this.#room();
    this.#isRejecting = false;
    let count = 0;
    for (const [socket, dueMs] of this.#dueMs) {
      if (count >= room && (count >= overdueMax || dueMs > nowMs)) break;
      this.#dueMs.delete(socket);
      if (socket.destroyed) continue;
      socket.resume();
      count += 1;
    }
    if (this.#dueMs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };
}
