import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { AppError } from '../../model/errors.ts';

export interface OwnAddress {
  publicUrl: string | undefined;
  /** The host that the service listens on. */
  host: string;
}

/**
 * Rejects a write that does not come from a page of this service. Browsers send the page's origin in `Origin`, or its
 * relation to this service in `Sec-Fetch-Site`; a page cannot forge either. Without `PUBLIC_URL`, unknown host names
 * are rejected to prevent DNS rebinding.
 * @throws {AppError} `forbidden`
 */
export function requireSameOrigin(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  own: OwnAddress,
): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin, host = '' } = headers;
  const { publicUrl } = own;
  if (origin === publicUrl && origin !== undefined) return;
  if (publicUrl === undefined && !isOwnName(host, own.host)) throw fromUnknownName(host);
  if (origin === undefined) {
    if (headers['sec-fetch-site'] === 'same-origin') return;
    throw fromNowhere();
  }
  if (!isHttps(publicUrl) && isOwnName(host, own.host) && origin === `http://${host.toLowerCase()}`) return;
  throw new AppError(
    'forbidden',
    `This change came from ${origin}, which is not the known address of this service; if users open the dashboard ` +
      'there, set PUBLIC_URL to that address.',
  );
}

/** With DNS rebinding, an attacker's site can have any host name except an IP address or a name of this machine. */
function isOwnName(host: string, listeningOn: string): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return name === 'localhost' || name === listeningOn.toLowerCase() || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

function fromUnknownName(host: string): AppError {
  return new AppError(
    'forbidden',
    `Changes at "${host}" are rejected because the service does not know this name; set PUBLIC_URL to the address of the ` +
      'dashboard.',
  );
}

export function isHttps(publicUrl: string | undefined): boolean {
  return publicUrl?.startsWith('https:') ?? false;
}

export function fromNowhere(): AppError {
  return new AppError('forbidden', 'Changes below /admin must come from the dashboard: send Origin with its address.');
}
