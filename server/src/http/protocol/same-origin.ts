import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { AppError } from '../../model/errors.ts';

/** How the service is reached: `publicUrl` if it is set, and the `host` that it listens on. */
export interface OwnAddress {
  publicUrl: string | undefined;
  host: string;
}

/**
 * Rejects a write that does not come from a page of this service: the browser says where it comes from, in `Origin` or
 * (Fetch Metadata) in `Sec-Fetch-Site`, and no page can write these headers itself. What they say is of no use where another
 * page's name leads here (DNS rebinding): so a name that is not the service's own is rejected, too.
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
    `This change came from ${origin}, which is not the address of this service; if people reach it there, PUBLIC_URL must say so.`,
  );
}

/** No page elsewhere can have an address, or a name of this machine, for its own; any other name may be somebody else's. */
function isOwnName(host: string, listeningOn: string): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return name === 'localhost' || name === listeningOn.toLowerCase() || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

function fromUnknownName(host: string): AppError {
  return new AppError(
    'forbidden',
    `Changes at "${host}" are not accepted, as the service does not know this name; set PUBLIC_URL to the address at which ` +
      'people reach the dashboard.',
  );
}

/** Then what has the name of the service without HTTPS may be anybody on the way. */
export function isHttps(publicUrl: string | undefined): boolean {
  return publicUrl?.startsWith('https:') ?? false;
}

/** A change that says neither that it comes from a page of this service nor from elsewhere. */
export function fromNowhere(): AppError {
  return new AppError('forbidden', 'Changes below /admin are made from the dashboard: send Origin with its address.');
}
