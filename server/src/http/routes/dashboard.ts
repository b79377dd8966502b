import { randomBytes } from 'node:crypto';
import { AppError } from '../../model/errors.ts';
import { escapeHtml } from '../pages/html.ts';
import { HTML_TYPE } from '../pages/reply-page.ts';
import { negotiateEncoding } from '../protocol/compression.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Reply } from '../protocol/reply.ts';
import type { PublicRoutes } from '../protocol/router.ts';
import type { MapTiles, Services } from '../services.ts';
import { findDashboardFiles } from './dashboard-files.ts';

/** All these paths return the same page, whose scripts render the content of the path. */
const PATHS = [
  '/',
  '/sign-in',
  '/setup',
  '/invitation',
  '/listings',
  '/listings/{id}',
  '/feeds',
  '/feeds/{name}',
  '/feeds/{name}/send',
  '/feeds/{name}/runs/{id}',
  '/developers',
  '/developers/requests',
  '/developers/requests/{id}',
  '/developers/events',
  '/developers/webhooks',
  '/developers/webhooks/{id}',
  '/settings',
  '/settings/api',
  '/settings/team',
  '/settings/account',
  '/profile',
  '/activity',
];

/** The build's placeholder for the nonce (dashboard/vite.config.ts). */
const NONCE_MARK = 'NONCE-OF-THE-REPLY';
const NONCE_BYTES = 16;

/** Only images can come from elsewhere. Styles created by scripts (Mantine's colors, scroll lock) have the nonce. */
const policy = (nonce: string, tiles: MapTiles | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // Photos of listings can be on any host.
    `img-src 'self' data: https:${tiles === undefined ? '' : ` ${originOf(tiles)}`}`,
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

export function addDashboard(routes: PublicRoutes, { mapTiles }: Pick<Services, 'mapTiles'>): void {
  for (const path of PATHS) routes.add('GET', path, (exchange) => replyDashboard(exchange, mapTiles));
  routes.add('GET', '/assets/{name}', (exchange, { name = '' }) => replyAsset(exchange, name));
}

/** Users also type `/admin`, the base path of the dashboard's API, to open the dashboard. */
export function isDashboardVisit({ path, incoming: { method, headers } }: Exchange): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && /^\/admin\/?$/.test(path) && (headers.accept ?? '').includes('text/html');
}

/**
 * For an unknown path, browsers get the dashboard, except below the paths of the APIs, documentation, and assets.
 * Programs get the error, regardless of `Accept`.
 */
export function replyToLostVisit({ path, incoming }: Exchange, { mapTiles }: Services): Reply | undefined {
  const isVisit = incoming.headers['sec-fetch-dest'] === 'document' && !/^\/(v1|admin|docs|assets)(\/|$)/.test(path);
  return isVisit ? { ...replyDashboard({ incoming }, mapTiles), status: 404 } : undefined;
}

function replyDashboard({ incoming: { headers } }: Pick<Exchange, 'incoming'>, tiles: MapTiles | undefined): Reply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const files = findDashboardFiles();
  return {
    status: files === undefined ? 503 : 200,
    headers: {
      'Content-Type': HTML_TYPE,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': policy(nonce, tiles),
      // Browsers send Sec-Fetch-Dest only to trusted origins (https, localhost); on others, this policy logs a warning.
      ...(headers['sec-fetch-dest'] !== undefined && { 'Cross-Origin-Opener-Policy': 'same-origin' }),
      'Referrer-Policy': 'same-origin',
      'X-Frame-Options': 'DENY',
    },
    body: files === undefined ? NOT_BUILT : withTiles(files.page.replaceAll(NONCE_MARK, nonce), tiles),
  };
}

/** Adds the URL and attribution of map images to the page, for dashboard/src/parts/map-tiles.ts. */
function withTiles(page: string, tiles: MapTiles | undefined): string {
  if (tiles === undefined) return page;
  const [url, attribution] = [escapeHtml(tiles.url), escapeHtml(tiles.attribution)];
  return page.replace(
    '</head>',
    () => `<meta name="map-tiles" content="${url}" data-attribution="${attribution}"></head>`,
  );
}

/** The origin of map images, for the Content-Security-Policy. `{s}` in the URL stands for any of several subdomains. */
function originOf({ url }: MapTiles): string {
  const { origin } = new URL(url.replace('{s}.', ''));
  return url.includes('{s}.') ? origin.replace('//', '//*.') : origin;
}

/** The name contains a hash of the content, so browsers can cache the file forever. */
function replyAsset({ incoming }: Exchange, name: string): Reply {
  const asset = findDashboardFiles()?.assets.get(name);
  if (asset === undefined) throw new AppError('not_found', 'There is no such file; reload the page.');
  const encoding = negotiateEncoding(incoming.headers);
  const compressed = encoding && asset.compressed[encoding];
  return {
    status: 200,
    headers: {
      'Content-Type': asset.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      ...(compressed && encoding ? { 'Content-Encoding': encoding } : {}),
    },
    body: compressed ?? asset.content,
  };
}
