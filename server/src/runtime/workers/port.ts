import type { BoundSocket } from 'node:net';
import { bindAnother, bindSockets, SOCKETS, type Where } from '../../http/protocol/sockets.ts';
import { cannotListen } from '../listening.ts';

/**
 * The sockets of the port on which workers listen. The first process keeps them open but does not
 * listen: no connection is lost when a new worker inherits the sockets of the one that it replaces.
 */
export class Port {
  readonly #where: Where;
  readonly #sockets: BoundSocket[];

  private constructor(where: Where, sockets: BoundSocket[]) {
    this.#where = where;
    this.#sockets = sockets;
  }

  /** @throws {ConfigError} */
  static async bind(where: Where, workers: number): Promise<Port> {
    try {
      return new Port(where, await bindSockets(where, SOCKETS === 1 ? 1 : SOCKETS * workers));
    } catch (error) {
      throw cannotListen(where, error);
    }
  }

  /** Whether this is the port of the settings, of which PORT can be 0. */
  is({ host, port }: Where): boolean {
    return host === this.#where.host && port === this.#where.port;
  }

  /** Makes enough sockets for a larger number of workers. */
  extend(workers: number): void {
    const [first] = this.#sockets;
    if (first === undefined || SOCKETS === 1) return;
    const { address: host, port } = first.address();
    while (this.#sockets.length < SOCKETS * workers) this.#sockets.push(bindAnother({ host, port }));
  }

  /** The sockets for one of the workers. */
  deal(place: number, workers: number): BoundSocket[] {
    if (SOCKETS === 1) return [...this.#sockets];
    return this.#sockets.filter((_, index) => index % workers === place);
  }

  /**
   * Replaces sockets on which no worker listens any longer. The connections that wait there are
   * reset, and the system gives new connections to the other workers.
   */
  renew(dead: BoundSocket[]): void {
    if (SOCKETS === 1) return;
    for (const socket of dead) {
      const index = this.#sockets.indexOf(socket);
      if (index < 0) continue;
      const { address: host, port } = socket.address();
      this.#sockets[index] = bindAnother({ host, port });
      socket.close();
    }
  }

  /** Frees the port once no worker listens on it. */
  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.close();
  }
}
