import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import type { Log } from '../../lib/log.ts';

/** Proxies whose `X-Forwarded-For` is trusted. */
export type TrustedProxies = BlockList | undefined;

/**
 * The address of the peer or, behind trusted proxies, the last address in `X-Forwarded-For` that is
 * not a trusted proxy. A client can forge the addresses before that one.
 */
export function clientAddress(incoming: IncomingMessage, trusted: TrustedProxies): string {
  const peer = plainAddress(incoming.socket.remoteAddress ?? '');
  const forwarded = incoming.headers['x-forwarded-for'];
  if (trusted === undefined || typeof forwarded !== 'string' || !isTrusted(peer, trusted)) return peer;
  let address = peer;
  for (const hop of forwarded.split(',').reverse()) {
    const candidate = plainAddress(withoutPort(hop.trim()));
    if (isIP(candidate) === 0) break;
    address = candidate;
    if (!isTrusted(candidate, trusted)) break;
  }
  return address;
}

/** Warns once about a trusted proxy without `X-Forwarded-For`, because all its clients would share their limits. */
export function createForwardedCheck({ logger }: Log, trusted: TrustedProxies): (incoming: IncomingMessage) => void {
  let isDone = trusted === undefined;
  return ({ socket, headers }) => {
    if (isDone || trusted === undefined || headers['x-forwarded-for'] !== undefined) return;
    const peer = plainAddress(socket.remoteAddress ?? '');
    if (!isTrusted(peer, trusted)) return;
    isDone = true;
    logger.warn(
      { address: peer },
      'the trusted proxy did not send X-Forwarded-For, so all of its clients share the limits of one address; ' +
        'see docs/proxies',
    );
  };
}

export function isBehindProxy({ socket }: IncomingMessage, trusted: TrustedProxies): boolean {
  return trusted !== undefined && isTrusted(plainAddress(socket.remoteAddress ?? ''), trusted);
}

/** Some proxies send a port: `192.0.2.7:5678` or `[2001:db8::7]:5678`. */
function withoutPort(hop: string): string {
  const [, ipv6, ipv4] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(hop) ?? [];
  return ipv6 ?? ipv4 ?? hop;
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns an IPv6 address's /64 network, which one client usually has to itself, and any other address unchanged. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [left = [], right = []] = address.split('::').map((part) => part.split(':'));
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const network = [...left, ...zeros, ...right].slice(0, 4);
  return network.map((part) => part.replace(/^0+(?=.)/, '')).join(':');
}
