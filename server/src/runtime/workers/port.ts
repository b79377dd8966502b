import type { BoundSocket } from 'node:net';
import { bindSockets, claimPort, SHARES_PORTS, type Where } from '../../http/protocol/sockets.ts';
import { cannotListen } from '../listening.ts';

/**
 * The port on which workers listen. The first process binds a group of sockets for each worker, and keeps them open but
 * does not listen: a worker that replaces another one inherits its sockets, so no connection is lost.
 *
 * The system assigns connections to every socket that listens, even if no worker accepts them. So a worker stops
 * listening only when another one listens on the same sockets, and sockets that no worker serves are closed.
 *
 * Where the system cannot share a port, there are no groups, and node:cluster distributes connections.
 */
export class Port {
  readonly #given: Where;
  readonly #claim: { where: Where; release(): void };
  /** A group has no sockets before its first use, and once no worker serves it. */
  readonly #groups: BoundSocket[][] = [];

  private constructor(given: Where, claim: { where: Where; release(): void }) {
    this.#given = given;
    this.#claim = claim;
  }

  /** @throws {ConfigError} if another service uses the port */
  static async open(given: Where): Promise<Port> {
    const none = { where: given, release() {} };
    try {
      return new Port(given, SHARES_PORTS ? await claimPort(given) : none);
    } catch (error) {
      throw cannotListen(given, error);
    }
  }

  /** Whether these settings name this port. */
  is({ host, port }: Where): boolean {
    return host === this.#given.host && port === this.#given.port;
  }

  /**
   * The sockets for the worker at a place; undefined if the system cannot share a port. Together, the workers get
   * all groups, including those of earlier workers, because there may have been more workers before.
   * @throws {ConfigError} if a socket cannot be bound
   */
  deal(place: number, workers: number): BoundSocket[] | undefined {
    if (!SHARES_PORTS) return undefined;
    while (this.#groups.length < workers) this.#groups.push([]);
    // Groups beyond the number of workers are needed only while they have sockets.
    return this.#groups.flatMap((group, index) =>
      index === place || (index % workers === place && group.length > 0) ? this.#groupAt(index) : [],
    );
  }

  #groupAt(index: number): BoundSocket[] {
    const group = this.#groups[index] ?? [];
    if (group.length > 0) return group;
    try {
      const bound = bindSockets(this.#claim.where);
      this.#groups[index] = bound;
      return bound;
    } catch (error) {
      throw cannotListen(this.#given, error);
    }
  }

  /** Closes sockets that no worker serves any longer; the connections that wait there are reset. */
  drop(sockets: readonly BoundSocket[]): void {
    for (const [index, group] of this.#groups.entries()) {
      if (!group.some((socket) => sockets.includes(socket))) continue;
      for (const socket of group) socket.close();
      this.#groups[index] = [];
    }
  }

  /** Frees the port once no worker listens on it. */
  close(): void {
    for (const socket of this.#groups.splice(0).flat()) socket.close();
    this.#claim.release();
  }
}
