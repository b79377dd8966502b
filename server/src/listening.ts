import { once } from 'node:events';
import type { Server } from 'node:http';
import { getSystemErrorMessage } from 'node:util';
import { type Config, ConfigError } from './config.ts';

/** Connections that wait to be taken: the system may allow fewer, and turns others away. */
const BACKLOG = 4_096;

/** Listens where the settings say. @returns the address as a URL @throws {ConfigError} when it cannot */
export async function listen(server: Server, { host, port }: Config): Promise<string> {
  try {
    server.listen(port, host, BACKLOG);
    await once(server, 'listening');
  } catch (error) {
    throw new ConfigError(`Cannot listen on HOST ${host}, PORT ${port}: ${explainListening(error)}.`);
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

/** A worker is told the number of an error only, and `node:net` makes other words of it. */
function explainListening(error: unknown): string {
  const { errno, message } = Object(error);
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : String(message);
}
