import type { Server } from 'node:http';
import { getSystemErrorMessage } from 'node:util';
import type { Config } from '../config.ts';
import { ConfigError } from '../environment.ts';
import { openSockets } from '../http/protocol/sockets.ts';

/** @returns the URL at which the server listens @throws {ConfigError} if it cannot listen */
export async function listen(server: Server, { host, port, workers }: Config): Promise<string> {
  try {
    // The first process hands connections to workers.
    await openSockets(server, { host, port, isAlone: workers === undefined });
  } catch (error) {
    throw new ConfigError(`Cannot listen on HOST ${host}, PORT ${port}: ${explainListening(error)}.`);
  }
  return addressOf(server);
}

/** The URL at which a server listens. */
export function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

/** A worker gets only an error's number, which `node:net` describes in other words. */
export function explainListening(error: unknown): string {
  const { errno, message } = Object(error);
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : String(message);
}
