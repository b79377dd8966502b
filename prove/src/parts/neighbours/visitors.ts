import { STRANGER } from '../../../../bench/src/flood-order.ts';
import { freshJson, json, type Member, members, ndjson, numbered, objectOf, type Row, type Scene } from './member.ts';

const HEADER_BYTES = 15_000;
const SIGN_IN = '/admin/auth/sign-in/email';
const MANY = { lanes: 32 };
const TOO_MANY = { lanes: 16, told: 'too_many_imports' };
const UNAUTHORIZED = { lanes: 64, told: 'unauthorized' };
const token = json(() => '{"token":"abcdefghijklmnopqrstuvwxyz"}');
const passwords = json(() => '{"currentPassword":"wrong wrong","newPassword":"correct horse battery"}');
const longPassword = json(() => `{"email":"a@example.com","password":"${'a'.repeat(16_000)}"}`);
const wrongPassword = freshJson(
  (turn) => `{"email":"mallory${turn % 2 === 0 ? '' : turn}@example.com","password":"wrong"}`,
);
const asBrowser = { ...MANY, headers: () => ['Accept-Encoding: br'] };
const withCookies = { headers: () => [`Cookie: ${numbered(1_200, 'a=').join('; ')}`] };
const withLongKey = { told: 'unauthorized', headers: () => [`Authorization: Bearer ${'a'.repeat(HEADER_BYTES)}`] };
const withUnknownKey = { ...UNAUTHORIZED, headers: () => [`Authorization: Bearer ${STRANGER}`] };
const withManyLines = { headers: () => numbered(1_500, 'a').map((name) => `${name}: b`) };
const withLongLines = { told: 'headers_too_large', headers: () => numbered(50, `a: ${'b'.repeat(2_000)}`) };

const SIGNED_IN: readonly Row[] = [
  ['session-lists', 'GET /listings', undefined, { lanes: 100 }],
  ['session-searches', 'GET /listings?limit=50&q=a&sort=-listPrice&count=true', undefined, { lanes: 64 }],
  ['session-overview', 'GET /overview', undefined, { lanes: 64 }],
  ['session-unknown-members', 'POST /auth/update-user', json(() => objectOf(65_000, 'nam')), { lanes: 4 }],
  ['session-passwords', 'POST /auth/change-password', passwords, MANY],
  ['session-dry-runs', 'POST /imports?dryRun=true', ndjson(() => '{}\n'.repeat(100_000)), TOO_MANY],
];

const ANONYMOUS: readonly Row[] = [
  // This attack comes before the guesses, after which every sign-in gets 429.
  ['sign-in-1-mib', `POST ${SIGN_IN}`, json(() => objectOf(65_000, 'emai')), { lanes: 4, told: 'payload_too_large' }],
  ['sign-in-wrong-passwords', `POST ${SIGN_IN}`, wrongPassword, { lanes: 64 }],
  ['sign-in-16-kib', `POST ${SIGN_IN}`, longPassword, MANY],
  ['setup-previews', 'POST /admin/setup/preview', token, MANY],
  ['invitation-previews', 'POST /admin/invitations/preview', token, MANY],
  ['second-factor-guesses', 'POST /admin/auth/two-factor/verify-totp', json(() => '{"code":"123456"}'), MANY],
  ['cookie-monster', 'GET /admin/session', undefined, withCookies],
  ['authorization-monster', 'GET /v1/listings', undefined, withLongKey],
  ['unknown-keys', 'GET /v1/listings', undefined, withUnknownKey],
  ['no-key-with-1-mib', 'POST /v1/listings', json(() => objectOf(65_000, 'adress')), UNAUTHORIZED],
  ['heads-of-many-lines', 'GET /livez', undefined, withManyLines],
  ['heads-too-long', 'GET /livez', undefined, withLongLines],
  ['error-pages', 'GET /docs/errors', undefined, MANY],
  ['reference-files', 'GET /docs/swagger-ui-bundle.js', undefined, MANY],
  ['dashboard-pages', 'GET /listings', undefined, asBrowser],
  ['openapi-documents', 'GET /v1/openapi.json', undefined, asBrowser],
  ['options', 'OPTIONS /v1/listings', undefined, MANY],
  ['unknown-methods', 'PROPFIND /v1/listings', undefined, MANY],
];

const bodies = ({ port }: Scene) => `${head(port, 'POST /v1/listings', 'Content-Length: 1')}x`.repeat(1_000);
const searches = ({ port, keys }: Scene) =>
  head(port, 'GET /v1/listings?q=a&limit=100', `Authorization: Bearer ${keys.read}`).repeat(50);

/** Attacks with incomplete requests, with several requests at once, or with tiny chunks. */
const RAW: readonly Member[] = [
  raw('pipelined', 'nothing', ({ port }) => head(port, 'GET /nothing').repeat(100), { manner: 'pour', lanes: 4 }),
  raw('pipelined-bodies', 'nothing', bodies, { manner: 'pour', lanes: 4 }),
  raw('pipelined-searches', 'read', searches, { manner: 'pour', lanes: 8 }),
  raw('opened-and-closed', 'nothing', () => 'G', { manner: 'leave', lanes: 32 }),
  raw('half-sent-heads', 'nothing', () => `GET / HTTP/1.1\r\nA: ${'b'.repeat(1_500)}`, { manner: 'ask', lanes: 500 }),
  raw('tiny-chunks', 'nothing', tinyChunks, { manner: 'ask', lanes: 4 }),
];

/** Attacks from the dashboard, without a credential, or with raw bytes. */
export const visitors: readonly Member[] = [...members('session', SIGNED_IN), ...members('nothing', ANONYMOUS), ...RAW];

function tinyChunks({ port }: Scene): string {
  const headers = [`Origin: http://127.0.0.1:${port}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
  return `${head(port, `POST ${SIGN_IN}`, ...headers)}${'1\r\n \r\n'.repeat(20_000)}0\r\n\r\n`;
}

function head(port: number, line: string, ...headers: string[]): string {
  return `${[`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers].join('\r\n')}\r\n\r\n`;
}

type How = Pick<Member, 'manner' | 'lanes'>;

function raw(name: string, by: Member['by'], textOf: (scene: Scene) => string, how: How): Member {
  return { name, by, ...how, send: (scene) => Buffer.from(textOf(scene)), unpackedBytes: () => 0 };
}
