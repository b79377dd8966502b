import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { withoutChance } from '../../../testkit/src/chance.ts';
import { send } from '../../../testkit/src/listings.ts';
import { KEY_REJECTED, readError, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { ERRORS } from '../../src/http/contract/errors.ts';
import { V1 } from '../../src/http/map.ts';
import { bodyOf, exampleError } from '../../src/http/openapi/error-examples.ts';
import { ERROR_CODES, type ErrorCode } from '../../src/model/errors.ts';

const service = await startSharedService();

async function readPage(path: string): Promise<string> {
  const response = await fetch(`${service.url}${path}`);
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8'], path);
  const policy = response.headers.get('content-security-policy') ?? '';
  assert.ok(policy.startsWith("default-src 'none'; style-src 'self'; ") && !policy.includes('script-src'), policy);
  assert.equal(response.headers.get('x-frame-options'), 'DENY', path);
  return response.text();
}

test('every error code has a page, and unknown codes have none', async () => {
  for (const code of ERROR_CODES) {
    const text = await readPage(`/docs/errors/${code}`);
    assert.ok(text.includes(`<h1><code>${code}</code></h1>`));
    assert.doesNotMatch(text, /<script|style=|\bon\w+=|undefined|\[object|``/);
  }
  for (const path of ['nonsense', 'not_found/', '__proto__', 'constructor']) {
    await readError(await fetch(`${service.url}/docs/errors/${path}`), 404, 'not_found');
  }
});

test('the reference links to the index, the index to every page, and no link is dead', async () => {
  const { info } = JSON.parse(await (await fetch(`${service.url}/v1/openapi.json`)).text());
  assert.ok(info.description.includes('(/docs/errors)'));
  const index = await readPage('/docs/errors');
  for (const code of ERROR_CODES) assert.ok(index.includes(`href="/docs/errors/${code}"`), code);
  const pages = [index, ...(await Promise.all(ERROR_CODES.map((code) => readPage(`/docs/errors/${code}`))))];
  const links = new Set(pages.flatMap((text) => [...text.matchAll(/href="([^"#]+)/g)].map(([, path = '']) => path)));
  for (const path of links) assert.equal((await fetch(`${service.url}${path}`)).status, 200, path);
});

test('every error response links to its page, even the 401 with its fixed body', async () => {
  const response = await fetch(`${service.url}/v1/listings`);
  assert.equal(response.headers.get('link'), '</docs/errors/unauthorized>; rel="help"');
  assert.equal(await response.text(), KEY_REJECTED);
  const rejected = await fetch(`${service.url}/livez`, { method: 'POST' });
  assert.equal(rejected.headers.get('link'), '</docs/errors/method_not_allowed>; rel="help"');
});

describe('the commands of a page get the response that it shows', () => {
  for (const code of ERROR_CODES) {
    const { commands } = ERRORS[code];
    if (commands !== undefined) test(code, () => assertAnswered(code, commands));
  }
});

/** Runs commands on an account with the example's listing at version 2. */
async function assertAnswered(code: ErrorCode, commands: readonly string[]): Promise<void> {
  const { status, headers = {} } = ERRORS[code];
  const tenant = await service.createTenant();
  const there = { externalId: 'MLS-20931', address: '12 Elm Street', beds: 3, baths: 2 };
  const { id } = await readListing(await send(service, tenant, 'PUT', '/listings/external/MLS-20931', there), 201);
  await send(service, tenant, 'PATCH', `/listings/${id}`, { beds: 4 });
  const { key } = code === 'insufficient_scope' ? await service.createTenant('Readers', 'read') : tenant;

  let output = '';
  for (const command of commands) {
    const script = command.replace('curl -i', 'curl -si').replaceAll(/lst_[0-9a-z]{26}/g, id);
    const env = { PATH: process.env.PATH ?? '', API: `${service.url}/v1`, KEY: key };
    output = (await promisify(execFile)('sh', ['-c', script], { env })).stdout;
  }
  const [head = '', body = ''] = output.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n');
  assert.ok(head.startsWith(`HTTP/1.1 ${status} `), output);
  for (const [name, value] of Object.entries(headers)) assert.ok(head.includes(`\r\n${name}: ${value}`), head);
  assert.equal(withoutChance(body), withoutChance(JSON.stringify(bodyOf(exampleError(code, V1)))));
}
