import { STRANGER } from '../overload/order.ts';
import {
  kept,
  type Member,
  type More,
  NDJSON,
  type Principal,
  packed,
  plain,
  raw,
  request,
  type Scene,
} from './member.ts';
import { jsonOf, numbered } from './uploads.ts';

const SIXTEEN_KIB = 16 * 1024;
const HEADER_BYTES = 15_000;
const SIGN_IN = '/auth/sign-in/email';

type Row = readonly [name: string, method: string, path: string, body?: (() => string) | undefined, more?: More];

/** In the dashboard. */
const SIGNED_IN: readonly Row[] = [
  ['session-lists', 'GET', '/listings', undefined, { lanes: 100 }],
  ['session-searches', 'GET', '/listings?limit=50&q=a&sort=-listPrice&count=true', undefined, { lanes: 64 }],
  ['session-overview', 'GET', '/overview', undefined, { lanes: 64 }],
  ['session-unknown-members', 'POST', '/auth/update-user', () => jsonOf(numbered(65_000, 'nam')), { lanes: 4 }],
  [
    'session-passwords',
    'POST',
    '/auth/change-password',
    () => '{"currentPassword":"wrong wrong","newPassword":"correct horse battery"}',
    { lanes: 32 },
  ],
];

/** Without a key or a session. */
const ANONYMOUS: readonly Row[] = [
  [
    'sign-in-16-kib',
    'POST',
    `/admin${SIGN_IN}`,
    () => JSON.stringify({ email: 'a@example.com', password: 'a'.repeat(SIXTEEN_KIB - 100) }),
    { lanes: 32 },
  ],
  ['sign-in-1-mib', 'POST', `/admin${SIGN_IN}`, () => jsonOf(numbered(65_000, 'emai')), { lanes: 4 }],
  ['setup-previews', 'POST', '/admin/setup/preview', () => '{"token":"abcdefghijklmnopqrstuvwxyz"}', { lanes: 32 }],
  [
    'invitation-previews',
    'POST',
    '/admin/invitations/preview',
    () => '{"token":"abcdefghijklmnopqrstuvwxyz"}',
    { lanes: 32 },
  ],
  ['second-factor-guesses', 'POST', '/admin/auth/two-factor/verify-totp', () => '{"code":"123456"}', { lanes: 32 }],
  [
    'cookie-monster',
    'GET',
    '/admin/session',
    undefined,
    { headers: () => [`Cookie: ${numbered(1_200, 'a=').join('; ')}`] },
  ],
  [
    'authorization-monster',
    'GET',
    '/v1/listings',
    undefined,
    { told: 'unauthorized', headers: () => [`Authorization: Bearer ${'a'.repeat(HEADER_BYTES)}`] },
  ],
  [
    'unknown-keys',
    'GET',
    '/v1/listings',
    undefined,
    { lanes: 64, told: 'unauthorized', headers: () => [`Authorization: Bearer ${STRANGER}`] },
  ],
  ['no-key-with-1-mib', 'POST', '/v1/listings', () => jsonOf(numbered(65_000, 'adress')), { told: 'unauthorized' }],
  [
    'heads-of-many-lines',
    'GET',
    '/livez',
    undefined,
    { headers: () => numbered(1_500, 'a').map((name) => `${name}: b`) },
  ],
  [
    'heads-too-long',
    'GET',
    '/livez',
    undefined,
    { told: 'headers_too_large', headers: () => numbered(50, 'a').map((name) => `${name}: ${'b'.repeat(2_000)}`) },
  ],
  ['error-pages', 'GET', '/docs/errors', undefined, { lanes: 32 }],
  ['reference-files', 'GET', '/docs/swagger-ui-bundle.js', undefined, { lanes: 32 }],
  ['dashboard-pages', 'GET', '/listings', undefined, { lanes: 32, headers: () => ['Accept-Encoding: br'] }],
  ['openapi-documents', 'GET', '/v1/openapi.json', undefined, { lanes: 32, headers: () => ['Accept-Encoding: br'] }],
  ['options', 'OPTIONS', '/v1/listings', undefined, { lanes: 32 }],
  ['unknown-methods', 'PROPFIND', '/v1/listings', undefined, { lanes: 32 }],
];

const lifeless = ({ port }: Scene) => `GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;

/** Bytes that are no whole request, or several. */
const RAW: readonly Member[] = [
  raw(['pipelined', 'nothing'], (scene) => Buffer.from(lifeless(scene).repeat(100)), { manner: 'pour', lanes: 4 }),
  raw(
    ['pipelined-searches', 'read'],
    ({ port, keys }) =>
      Buffer.from(
        `GET /v1/listings?q=a&limit=100 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${keys.read}\r\n\r\n`.repeat(
          50,
        ),
      ),
    { manner: 'pour', lanes: 8 },
  ),
  raw(['opened-and-closed', 'nothing'], () => Buffer.from('G'), { manner: 'leave', lanes: 32 }),
  raw(['half-sent-heads', 'nothing'], () => Buffer.from(`GET / HTTP/1.1\r\nA: ${'b'.repeat(HEADER_BYTES / 10)}`), {
    lanes: 500,
  }),
  raw(
    ['tiny-chunks', 'nothing'],
    ({ port }) =>
      Buffer.from(
        `POST /admin${SIGN_IN} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(20_000)}0\r\n\r\n`,
      ),
    { lanes: 4 },
  ),
];

const members = (by: Principal, rows: readonly Row[]): Member[] =>
  rows.map(([name, method, path, body, more]) =>
    request([name, by], method, path, body && kept(() => plain(body())), more),
  );

/** Those of people in the dashboard, and of visitors. */
export const visitors: readonly Member[] = [
  ...members('session', SIGNED_IN),
  request(
    ['session-dry-runs', 'session'],
    'POST',
    '/imports?dryRun=true',
    kept(() => packed(NDJSON, '{}\n'.repeat(100_000))),
    { lanes: 16 },
  ),
  ...members('nothing', ANONYMOUS),
  {
    ...request(['sign-in-wrong-passwords', 'nothing'], 'POST', `/admin${SIGN_IN}`),
    lanes: 64,
    send(scene, turn) {
      const body = () =>
        plain(JSON.stringify({ email: turn % 2 === 0 ? scene.email : `${turn}@example.com`, password: 'wrong' }));
      return request(['', 'nothing'], 'POST', `/admin${SIGN_IN}`, body).send(scene, turn);
    },
  },
  ...RAW,
];
