import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';

/** The longest time for which a connection is not read. */
const UNREAD_MAX_MS = 1_000;
const CHECK_INTERVAL_MS = 20;

interface Unread {
  socket: Socket;
  untilMs: number;
}

/**
 * Connections whose request was refused, and which are not read until there is room again: whoever sends the next request
 * at once, as a proxy does for others, would only have it refused as well, and each refusal takes time from what is done.
 */
export class UnreadConnections {
  readonly #unread: Unread[] = [];
  readonly #room: () => number;
  #timer: NodeJS.Timeout | undefined;

  /** `room` tells how many requests could be taken now. */
  constructor(room: () => number) {
    this.#room = room;
  }

  /** Leaves the connection of an exchange alone for a while, once its reply is out. */
  add({ incoming, outgoing }: Exchange): void {
    const { socket } = incoming;
    outgoing.once('close', () => {
      if (socket.destroyed || !incoming.complete) return;
      socket.pause();
      this.#unread.push({ socket, untilMs: performance.now() + UNREAD_MAX_MS });
      this.#timer ??= setInterval(this.#check, CHECK_INTERVAL_MS);
    });
  }

  readonly #check = (): void => {
    const nowMs = performance.now();
    const room = this.#room();
    const overdueCount = this.#unread.filter(({ untilMs }) => untilMs <= nowMs).length;
    for (const { socket } of this.#unread.splice(0, Math.max(room, overdueCount))) socket.resume();
    if (this.#unread.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };
}
