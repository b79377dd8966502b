import assert from 'node:assert/strict';
import { NDJSON } from '../../../testkit/src/imports.ts';
import { readError } from '../../../testkit/src/replies.ts';
import type { Tenant, TestService } from '../../../testkit/src/service.ts';

interface SentFeed {
  type?: string;
  query?: string;
  headers?: Record<string, string>;
}

/** A run as in responses. */
export interface Run {
  id: string;
  outcome: string;
  errors: { line: number; externalId?: string; code: string; message: string }[];
  [name: string]: unknown;
}

export const ndjson = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Sends the file of a feed: text, bytes, or rows. */
export function sendFeed(
  service: TestService,
  tenant: Tenant,
  name: string,
  file: string | Buffer | readonly unknown[],
  { type = NDJSON, query = '', headers = {} }: SentFeed = {},
): Promise<Response> {
  const body = Buffer.isBuffer(file) || typeof file === 'string' ? file : ndjson(file);
  return service.fetch(tenant, `/v1/feeds/${name}${query}`, {
    method: 'PUT',
    headers: { 'Content-Type': type, ...headers },
    body: new Uint8Array(Buffer.from(body)),
  });
}

/** Sends a file, and returns the finished run. */
export async function runFeed(...parameters: Parameters<typeof sendFeed>): Promise<Run> {
  const response = await sendFeed(...parameters);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text);
}

/** Sends a file whose run the guard must stop, and returns the error. */
export async function stopFeed(...parameters: Parameters<typeof sendFeed>) {
  return readError(await sendFeed(...parameters), 409, 'feed_guard');
}

/** The counts of a run that are not 0. */
export function countsOf(run: Run): Record<string, number> {
  const names = ['rows', 'created', 'updated', 'unchanged', 'missing', 'withdrawn', 'deleted', 'failed', 'cleaned'];
  return Object.fromEntries(names.map((name) => [name, Number(run[name])]).filter(([, count]) => count !== 0));
}

export async function get<T>(service: TestService, tenant: Tenant, path: string): Promise<T> {
  const response = await service.fetch(tenant, `/v1${path}`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text);
}
