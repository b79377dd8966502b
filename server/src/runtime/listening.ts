import type { Server } from 'node:http';
import { getSystemErrorMessage } from 'node:util';
import type { Config } from '../config.ts';
import { ConfigError } from '../environment.ts';
import { inheritedSocket, listenOn, openSockets, type Where } from '../http/protocol/sockets.ts';

/**
 * @param inherited the file descriptors of sockets that are bound to HOST and PORT
 * @returns the URL at which the server listens
 * @throws {ConfigError} if it cannot listen
 */
export async function listen(server: Server, config: Config, inherited?: readonly number[]): Promise<string> {
  try {
    if (inherited !== undefined) await listenOn(server, inherited.map(inheritedSocket));
    else await openSockets(server, config);
  } catch (error) {
    throw cannotListen(config, error);
  }
  return addressOf(server);
}

export function cannotListen({ host, port }: Where, error: unknown): ConfigError {
  return new ConfigError(`Cannot listen on HOST ${host}, PORT ${port}: ${explainListening(error)}.`);
}

/** The URL at which a server listens. */
export function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

export function explainListening(error: unknown): string {
  const { errno, message } = Object(error);
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : String(message);
}
