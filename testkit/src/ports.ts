import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Below the ephemeral ports, which the system may assign to outgoing connections and to port 0 at any moment. */
const PORTS = [20_000, 32_000] as const;
const ATTEMPTS = 20;

export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(...PORTS);
    try {
      const server = createServer().listen(port, host);
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      return port;
    } catch (error) {
      if (Object(error).code !== 'EADDRINUSE' || attempt === ATTEMPTS) throw error;
    }
  }
}

export function isRefused(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
  return promise.finally(() => socket.destroy());
}
