import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';

const UNREAD_MS = 1_000;
const CHECK_INTERVAL_MS = 20;
/**
 * While requests are being rejected, at most this many connections are read again per check, 1,000 per second.
 * Otherwise, if thousands of clients ignored `Retry-After`, rejecting their requests would take most of the time.
 */
const OVERDUE_PER_CHECK = 20;

interface Unread {
  socket: Socket;
  /** When to read the connection again even while requests are being rejected. */
  dueMs: number;
}

/**
 * After a rejected request, stops reading its connection until there is room for more requests. Otherwise, a client
 * or proxy could send the next request immediately, and rejecting it would delay accepted requests.
 */
export class UnreadConnections {
  readonly #unread: Unread[] = [];
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
      if (socket.destroyed || !incoming.complete) return;
      socket.pause();
      this.#isRejecting = true;
      this.#unread.push({ socket, dueMs: performance.now() + UNREAD_MS });
      this.#timer ??= setInterval(this.#check, CHECK_INTERVAL_MS);
    });
  }

  readonly #check = (): void => {
    const nowMs = performance.now();
    const overdue = this.#unread.slice(0, OVERDUE_PER_CHECK).filter(({ dueMs }) => dueMs <= nowMs);
    // Requests can also be rejected for a reason that `room` does not know, such as a full queue for the database.
    const count = this.#isRejecting ? overdue.length : Math.max(this.#room(), overdue.length);
    this.#isRejecting = false;
    for (const { socket } of this.#unread.splice(0, count)) socket.resume();
    if (this.#unread.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };
}
