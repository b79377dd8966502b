import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { sendRaw } from '../../../../testkit/src/raw.ts';
import { type Figure, type Scene, someOf } from './scene.ts';
import type { Visitor } from './visitor.ts';

const DASHBOARD = ['/', '/sign-in', '/setup', '/invitation', '/listings', '/listings/x', '/profile', '/activity'];
const SETTINGS = ['/settings', '/settings/api', '/settings/team', '/settings/account'];
const DOCS = ['/docs', '/docs/admin', '/docs/errors'];
const VISIT = { 'Sec-Fetch-Dest': 'document', Accept: 'text/html' };

/** Targets of an open redirect. */
const ELSEWHERE = [
  ...['//evil.example', '//evil.example/docs/', '/\\evil.example/docs/', '/docs//evil.example/'],
  ...['/docs/errors//evil.example/', '/%2f%2fevil.example/docs/', '/admin/?next=//evil.example'],
  ...['/admin?redirect=https://evil.example', '/sign-in?next=https://evil.example', '/sign-in?next=//evil.example'],
  ...['/docs/?url=https://evil.example', '/docs/errors/?callbackURL=https://evil.example'],
  ...['http://evil.example/docs/', 'http://evil.example/admin'],
];

/** Security headers of each page, and the targets of redirects. */
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
    assert.ok(!nonces.has(nonce), `${path} has a nonce that was there before`);
    assert.ok(page.text.includes(nonce) || page.status === 503, `${path} does not have its own nonce`);
    nonces.add(nonce);
  }
  for (const path of ['/admin/session', '/v1/me', '/admin/nothing', '/nothing', '/admin/openapi.json', '/livez']) {
    const { headers } = await browser.get('GET', path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', `${path} may be taken for something else`);
  }
  await tryRedirects(scene);
  return [
    ['pages with a CSP and protection from framing', String(paths.length)],
    ['redirects to other sites', `0 of ${ELSEWHERE.length} tries`],
  ];
}

async function findErrorPages(browser: Visitor): Promise<string[]> {
  const { text } = await browser.get('GET', '/docs/errors');
  const found = [...text.matchAll(/href="(\/docs\/errors\/\w+)"/g)].map(([, path = '']) => path);
  assert.ok(found.length > 0, 'the pages of the errors are not listed');
  return found;
}

function assertPage({ status, headers }: Told, path: string): void {
  assert.ok([200, 404, 503].includes(status), `${path} is answered ${status}`);
  assert.match(headers.get('content-type') ?? '', /^text\/html/, `${path} is no page`);
  const policy = headers.get('content-security-policy') ?? '';
  for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]) {
    assert.ok(policy.includes(directive), `${path} has a policy without ${directive}: ${policy}`);
  }
  assert.doesNotMatch(policy, /unsafe-|\*|https?:/, `${path} has a policy that lets too much in`);
  assert.equal(headers.get('x-frame-options'), 'DENY', `${path} may be framed by old browsers`);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', `${path} may be taken for something else`);
  assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|same-origin)$/, `${path} tells others its address`);
}

/** Also with another site's host. */
async function tryRedirects({ url }: Scene): Promise<void> {
  for (const path of ELSEWHERE) {
    for (const host of [new URL(url).host, 'evil.example']) {
      const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: evil.example\r\nAccept: text/html`;
      const { status, headers } = await sendRaw(url, `${head}\r\nConnection: close\r\n\r\n`);
      const { location = '/' } = headers;
      assert.match(location, /^\/(?![/\\])/, `${path} at ${host} leads to ${location} (${status})`);
    }
  }
}
