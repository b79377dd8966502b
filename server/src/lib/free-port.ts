import { once } from 'node:events';
import { createServer } from 'node:net';

/** Finds a port that is currently free. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}
