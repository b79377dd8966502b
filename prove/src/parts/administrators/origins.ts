import assert from 'node:assert/strict';
import type { Caller } from '../../../../testkit/src/calls.ts';
import type { DocumentedOperation, Told } from '../../../../testkit/src/openapi.ts';
import { sendRaw } from '../../../../testkit/src/raw.ts';
import { callAs, type Figure, nameOf, type Scene, someOf, stateOf, type Visitor } from './scene.ts';

/** Content types that a cross-site form can send, and `text/html`, which must also be rejected. */
const FORM_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/html'];
const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];
const READING = ['GET', 'HEAD', 'OPTIONS'];

/** Headers of requests that do not come from the service's own pages, including some that no browser sends. */
function foreignPages(url: string): [from: string, told: Record<string, string>][] {
  const { port, hostname } = new URL(url);
  return [
    ['without an origin', {}],
    ['from another site', { Origin: 'https://evil.example' }],
    [
      'from another site that claims the same origin',
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' },
    ],
    ['with the origin null', { Origin: 'null' }],
    ['from a host with the same prefix', { Origin: `http://${hostname}.evil.example:${port}` }],
    ['from a subdomain', { Origin: `http://evil.${hostname}:${port}` }],
    ['from another port', { Origin: `http://${hostname}:1` }],
    ['from HTTPS at the same host', { Origin: `https://${hostname}:${port}` }],
    ['from an empty origin', { Origin: '' }],
    ['from another site, according to the browser', { 'Sec-Fetch-Site': 'cross-site' }],
    ['from a sibling site, according to the browser', { 'Sec-Fetch-Site': 'same-site' }],
    ['from the address bar', { 'Sec-Fetch-Site': 'none' }],
    ['from a script elsewhere', { Origin: 'https://evil.example', 'X-Requested-With': 'XMLHttpRequest' }],
  ];
}

/** Sends an administrator's cookies with changes from other origins, with forms, and with read-only methods. */
export async function tryOrigins(scene: Scene): Promise<Figure[]> {
  const { operations, things: ids } = scene;
  const changing = operations.filter(({ method }) => method !== 'get');
  const before = await stateOf(scene);
  const assertSame = async (what: string) => assert.equal(await stateOf(scene), before, `${what} changed something`);
  let sent = 0;
  for (const [from, told] of foreignPages(scene.url)) {
    for (const operation of changing) {
      const answer = await callAs(pageElsewhere(scene, told), operation, ids);
      assertRefused(answer, 403, `${nameOf(operation)} ${from}`);
      sent += 1;
    }
    await assertSame(`a change ${from}`);
  }
  for (const operation of changing.filter(({ requestBody }) => requestBody !== undefined)) {
    for (const type of someOf(scene.trial, FORM_TYPES, 3)) {
      const answer = await callAs(scene.ada.browser, operation, ids, { headers: { 'Content-Type': type } });
      assertRefused(answer, 415, `${nameOf(operation)} as ${type}`);
      sent += 1;
    }
  }
  await assertSame('a form');
  for (const operation of operations) sent += await tryReading(scene, operation, ids);
  await assertSame('a read-only method');
  scene.tally.forbidden += sent;
  const told = `${operations.length} operations from other origins, as forms, and with read-only methods`;
  return [[`requests to ${told}`, `${sent}, 0 changed anything`]];
}

function pageElsewhere({ url, ada }: Scene, told: Record<string, string>): Caller {
  const own = { 'X-Forwarded-For': ada.browser.address, Cookie: ada.browser.cookie };
  return {
    fetch: (path, init = {}) => {
      const given = Object.fromEntries(new Headers(init.headers));
      return fetch(url + path, { ...init, headers: { ...given, ...own, ...told } });
    },
  };
}

function assertRefused({ status, headers, text }: Told, expected: number, what: string): void {
  assert.equal(status, expected, `${what} returns ${status} ${text.slice(0, 200)}`);
  assert.deepEqual(headers.getSetCookie(), [], `${what} sets a cookie`);
  assert.equal(headers.get('access-control-allow-origin'), null, `${what} is readable by other origins`);
}

/** Sends requests with read-only methods that name the operation's method in headers or in the query. */
async function tryReading(scene: Scene, operation: DocumentedOperation, ids: Record<string, string>): Promise<number> {
  const overrides = Object.fromEntries(OVERRIDES.map((name) => [name, operation.method.toUpperCase()]));
  const path = `/admin${operation.path.replace(/\{(\w+)\}/, (_, name) => ids[name] ?? 'nobody')}`;
  const tricks = [{ headers: overrides }, { query: `?_method=${operation.method}` }];
  const methods = someOf(scene.trial, READING, 3);
  for (const method of methods) {
    for (const { query = '', headers = {} } of someOf(scene.trial, tricks, 2)) {
      const { status, headers: told } = await scene.ada.browser.get(method, path + query, undefined, headers);
      const what = `${method} ${path}${query}`;
      assert.ok(status < 500, `${what} returns ${status}`);
      assert.equal(told.get('access-control-allow-origin'), null, `${what} is readable by other origins`);
    }
  }
  return methods.length * someOf(scene.trial, tricks, 2).length;
}

const DASHBOARD = ['/', '/sign-in', '/setup', '/invitation', '/listings', '/listings/x', '/profile', '/activity'];
const SETTINGS = ['/settings', '/settings/api', '/settings/team', '/settings/account'];
const DOCS = ['/docs', '/docs/admin', '/docs/errors'];
const VISIT = { 'Sec-Fetch-Dest': 'document', Accept: 'text/html' };

/** Request targets that an open redirect would send to another site. */
const ELSEWHERE = [
  ...['//evil.example', '//evil.example/docs/', '/\\evil.example/docs/', '/docs//evil.example/'],
  ...['/docs/errors//evil.example/', '/%2f%2fevil.example/docs/', '/admin/?next=//evil.example'],
  ...['/admin?redirect=https://evil.example', '/sign-in?next=https://evil.example', '/sign-in?next=//evil.example'],
  ...['/docs/?url=https://evil.example', '/docs/errors/?callbackURL=https://evil.example'],
  ...['http://evil.example/docs/', 'http://evil.example/admin'],
];

export async function tryPages(scene: Scene): Promise<Figure[]> {
  const browser = scene.visitor();
  const errors = someOf(scene.trial, await findErrorPages(browser), 10);
  const paths = [...DASHBOARD, ...SETTINGS, ...DOCS, ...errors, '/no-such-page'];
  const nonces = new Set<string>();
  for (const path of paths) {
    const page = await browser.get('GET', path, undefined, VISIT);
    assertPage(page, path);
    const [, nonce] = /'nonce-([^']+)'/.exec(page.headers.get('content-security-policy') ?? '') ?? [];
    if (nonce === undefined) continue;
    assert.ok(!nonces.has(nonce), `${path} reuses a nonce`);
    assert.ok(page.text.includes(nonce) || page.status === 503, `${path} does not have its own nonce`);
    nonces.add(nonce);
  }
  for (const path of ['/admin/session', '/v1/me', '/admin/nothing', '/nothing', '/admin/openapi.json', '/livez']) {
    const { headers } = await browser.get('GET', path);
    assertNoSniffing(headers, path);
  }
  await tryRedirects(scene);
  return [
    ['pages with a CSP and protection from framing', String(paths.length)],
    ['redirects to other sites', `0 of ${ELSEWHERE.length} attempts`],
  ];
}

async function findErrorPages(browser: Visitor): Promise<string[]> {
  const { text } = await browser.get('GET', '/docs/errors');
  const found = [...text.matchAll(/href="(\/docs\/errors\/\w+)"/g)].map(([, path = '']) => path);
  assert.ok(found.length > 0, 'the error pages are not listed');
  return found;
}

/** Only dashboard pages may allow other hosts: a listing's photos can be on any host (decision 0005). */
const PHOTOS = "img-src 'self' data: https:";

function assertPage({ status, headers }: Told, path: string): void {
  assert.ok([200, 404, 503].includes(status), `${path} returns ${status}`);
  assert.match(headers.get('content-type') ?? '', /^text\/html/, `${path} is not a page`);
  const policy = headers.get('content-security-policy') ?? '';
  for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]) {
    assert.ok(policy.includes(directive), `${path} has a policy without ${directive}: ${policy}`);
  }
  const isOfDashboard = !path.startsWith('/docs');
  assert.equal(policy.includes(PHOTOS), isOfDashboard, `${path} has the wrong policy for images`);
  assert.doesNotMatch(policy.replace(PHOTOS, ''), /unsafe-|\*|https?:/, `${path} has a policy that allows too much`);
  assert.equal(headers.get('x-frame-options'), 'DENY', `${path} can be framed by old browsers`);
  assertNoSniffing(headers, path);
  const referrer = headers.get('referrer-policy') ?? '';
  assert.match(referrer, /^(no-referrer|same-origin)$/, `${path} sends its URL to other sites`);
}

function assertNoSniffing(headers: Headers, path: string): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff', `${path} can be interpreted as another content type`);
}

async function tryRedirects({ url }: Scene): Promise<void> {
  for (const path of ELSEWHERE) {
    for (const host of [new URL(url).host, 'evil.example']) {
      const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: evil.example\r\nAccept: text/html`;
      const { status, headers } = await sendRaw(url, `${head}\r\nConnection: close\r\n\r\n`);
      const { location = '/' } = headers;
      assert.match(location, /^\/(?![/\\])/, `${path} at ${host} redirects to ${location} (${status})`);
    }
  }
}
