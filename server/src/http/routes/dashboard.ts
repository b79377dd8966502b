import { randomBytes } from 'node:crypto';
import { AppError } from '../../model/errors.ts';
import { HTML_TYPE } from '../pages/reply-page.ts';
import { negotiateEncoding } from '../protocol/compression.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Reply } from '../protocol/reply.ts';
import type { PublicRoutes } from '../protocol/router.ts';
import { findDashboardFiles } from './dashboard-files.ts';

/** The dashboard's own addresses: one page answers all of them, and shows what belongs to its address. */
const PATHS = [
  '/',
  '/sign-in',
  '/setup',
  '/invitation',
  '/listings',
  '/listings/{id}',
  '/settings',
  '/settings/api',
  '/settings/team',
  '/settings/account',
  '/profile',
  '/activity',
];

/** The word that the build leaves in the page for the nonce (dashboard/vite.config.ts). */
const NONCE_MARK = 'NONCE-OF-THE-REPLY';
const NONCE_BYTES = 16;

/**
 * Everything comes from this machine. Scripts stand in files; the few styles that scripts make (Mantine's colours, the lock
 * of the page behind a dialog) carry the nonce of their page.
 */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Property Listings</title>
<p>The service is running, but its dashboard has not been built. Run <code>npm ci</code> in the clone and reload this page.
The API reference is at <a href="/docs">/docs</a>.</p>
</html>
`;

/** `/`, the dashboard, and the files that its page asks for. */
export function addDashboard(routes: PublicRoutes): void {
  for (const path of PATHS) routes.add('GET', path, replyDashboard);
  routes.add('GET', '/assets/{name}', (exchange, { name = '' }) => replyAsset(exchange, name));
}

/** A person who types `/admin`, where the dashboard's API is, wants the dashboard. */
export function isDashboardVisit({ path, incoming: { method, headers } }: Exchange): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && /^\/admin\/?$/.test(path) && (headers.accept ?? '').includes('text/html');
}

/** A person who follows a wrong link is shown that in the dashboard; programs get the error, whatever they accept. */
export function replyToLostVisit({ path, incoming }: Exchange): Reply | undefined {
  const isVisit = incoming.headers['sec-fetch-dest'] === 'document' && !/^\/(v1|admin|docs|assets)(\/|$)/.test(path);
  return isVisit ? { ...replyDashboard({ incoming }), status: 404 } : undefined;
}

function replyDashboard({ incoming: { headers } }: Pick<Exchange, 'incoming'>): Reply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const files = findDashboardFiles();
  return {
    status: files === undefined ? 503 : 200,
    headers: {
      'Content-Type': HTML_TYPE,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': policy(nonce),
      // Browsers say what a request is for where they trust the address (https, localhost); elsewhere they ignore this
      // policy, and complain of it in the console.
      ...(headers['sec-fetch-dest'] !== undefined && { 'Cross-Origin-Opener-Policy': 'same-origin' }),
      'Referrer-Policy': 'same-origin',
      'X-Frame-Options': 'DENY',
    },
    body: files === undefined ? NOT_BUILT : files.page.replaceAll(NONCE_MARK, nonce),
    isCompressible: true,
  };
}

/** Its name has a hash of its content: what a browser has is good for ever. */
function replyAsset({ incoming }: Exchange, name: string): Reply {
  const asset = findDashboardFiles()?.assets.get(name);
  if (asset === undefined) throw new AppError('not_found', 'There is no such file; reload the page that asked for it.');
  const encoding = negotiateEncoding(incoming.headers);
  const packed = encoding && asset.packed[encoding];
  return {
    status: 200,
    headers: {
      'Content-Type': asset.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      ...(packed && encoding ? { 'Content-Encoding': encoding } : {}),
    },
    body: packed ?? asset.content,
  };
}
