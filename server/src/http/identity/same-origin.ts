import type { IncomingMessage } from 'node:http';
import { AppError } from '../../model/errors.ts';

/**
 * Refuses a write that does not come from a page of this service: the browser says where it comes from, in `Origin` or
 * (Fetch Metadata) in `Sec-Fetch-Site`, and no page can write these headers itself.
 * @throws {AppError} `forbidden`
 */
export function requireSameOrigin({ method, headers }: IncomingMessage, publicUrl: string | undefined): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin, host } = headers;
  if (origin === undefined) {
    if (headers['sec-fetch-site'] === 'same-origin') return;
    throw fromNowhere();
  }
  if (origin === publicUrl || (!isHttps(publicUrl) && origin === `http://${host?.toLowerCase()}`)) return;
  throw new AppError(
    'forbidden',
    `This change came from ${origin}, which is not the address of this service; if people reach it there, PUBLIC_URL must say so.`,
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
