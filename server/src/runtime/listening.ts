import type { Server } from 'node:http';
import { getSystemErrorMessage } from 'node:util';
import { type Config, ConfigError } from '../config.ts';
import { openSockets } from '../http/protocol/sockets.ts';

/** Listens where the settings say. @returns the address as a URL @throws {ConfigError} when it cannot */
export async function listen(server: Server, { host, port, workers }: Config): Promise<string> {
  try {
    // Workers are given their connections by the process that began them.
    await openSockets(server, { host, port, isAlone: workers === undefined });
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
