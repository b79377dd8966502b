import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { NDJSON } from '../../../testkit/src/imports.ts';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import type { Tenant, TestService } from '../../../testkit/src/service.ts';

/** A listing as a line of NDJSON. */
export const line = (members: object = {}) => `${JSON.stringify({ ...MINIMAL, ...members })}\n`;

/** Starts an import; the test sends its body piece by piece. */
export function openImport(service: TestService, tenant: Tenant, headers: Record<string, string> = {}, query = '') {
  return openUpload(service, tenant, 'POST', `/v1/imports${query}`, headers);
}

/** Starts a request; the test sends its body piece by piece. */
export function openUpload(
  service: TestService,
  tenant: Tenant,
  method: string,
  path: string,
  headers: Record<string, string>,
) {
  const sending = request(`${service.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${tenant.key}`, 'Content-Type': NDJSON, ...headers },
    agent: false,
  });
  const replied = once(sending, 'response').then(async ([response]) => ({
    status: Number(response.statusCode),
    body: await text(response),
  }));
  // A test that breaks the connection checks the stored listings instead.
  replied.catch(() => {});
  sending.on('error', () => {});
  sending.flushHeaders();
  return { sending, replied };
}
