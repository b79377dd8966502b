export { findFreePort } from '../../server/src/lib/free-port.ts';

import { connect } from 'node:net';

export function isRefused(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
  return promise.finally(() => socket.destroy());
}
