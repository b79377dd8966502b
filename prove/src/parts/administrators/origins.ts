import assert from 'node:assert/strict';
import type { Caller } from '../../../../testkit/src/calls.ts';
import type { DocumentedOperation, Told } from '../../../../testkit/src/openapi.ts';
import { callAs, nameOf, pathOf, stateOf } from './operations.ts';
import { type Figure, type Scene, someOf } from './scene.ts';

/** Content types that a cross-site form can send. */
const FORM_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/html'];
const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];
const READING = ['GET', 'HEAD', 'OPTIONS'];

/** What a browser sends from a page of another origin. */
function foreignPages(url: string): [from: string, told: Record<string, string>][] {
  const { port, hostname } = new URL(url);
  return [
    ['from nowhere', {}],
    ['from another site', { Origin: 'https://evil.example' }],
    ['from another site that says more', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' }],
    ['from a page without an origin', { Origin: 'null' }],
    ['from a host that begins alike', { Origin: `http://${hostname}.evil.example:${port}` }],
    ['from a sub-domain', { Origin: `http://evil.${hostname}:${port}` }],
    ['from another port', { Origin: `http://${hostname}:1` }],
    ['from HTTPS at the same host', { Origin: `https://${hostname}:${port}` }],
    ['from an empty origin', { Origin: '' }],
    ['from another site, as the browser says', { 'Sec-Fetch-Site': 'cross-site' }],
    ['from a neighbour, as the browser says', { 'Sec-Fetch-Site': 'same-site' }],
    ['from the address bar', { 'Sec-Fetch-Site': 'none' }],
    ['from a script elsewhere', { Origin: 'https://evil.example', 'X-Requested-With': 'XMLHttpRequest' }],
  ];
}

/** An administrator's browser sends every change from pages of other origins. */
export async function tryOrigins(scene: Scene): Promise<Figure[]> {
  const operations = scene.operations;
  const changing = operations.filter(({ method }) => method !== 'get');
  const ids = scene.things;
  const before = await stateOf(scene);
  const assertSame = async (what: string) =>
    assert.equal(await stateOf(scene), before, `${what} has changed something`);
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
  await assertSame('a method that only reads');
  scene.tally.forbidden += sent;
  const told = `${operations.length} operations from pages elsewhere, as forms, and by methods that only read`;
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
  assert.equal(status, expected, `${what} is answered ${status} ${text.slice(0, 200)}`);
  assert.deepEqual(headers.getSetCookie(), [], `${what} gives a cookie`);
  assert.equal(headers.get('access-control-allow-origin'), null, `${what} may be read by pages elsewhere`);
}

/** A cross-site link or image, with headers that name another method. */
async function tryReading(scene: Scene, operation: DocumentedOperation, ids: Record<string, string>): Promise<number> {
  const overrides = Object.fromEntries(OVERRIDES.map((name) => [name, operation.method.toUpperCase()]));
  const path = pathOf(operation, ids);
  const tricks = [{ headers: overrides }, { query: `?_method=${operation.method}` }];
  const methods = someOf(scene.trial, READING, 3);
  for (const method of methods) {
    for (const { query = '', headers = {} } of someOf(scene.trial, tricks, 2)) {
      const { status, headers: told } = await scene.ada.browser.get(method, path + query, undefined, headers);
      const what = `${method} ${path}${query}`;
      assert.ok(status < 500, `${what} is answered ${status}`);
      assert.equal(told.get('access-control-allow-origin'), null, `${what} may be read by pages elsewhere`);
    }
  }
  return methods.length * someOf(scene.trial, tricks, 2).length;
}
