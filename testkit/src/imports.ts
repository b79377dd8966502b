import assert from 'node:assert/strict';
import { z } from 'zod';
import type { ListReply } from './replies.ts';
import { readList } from './replies.ts';
import type { Tenant, TestService } from './service.ts';

export const NDJSON = 'application/x-ndjson';
export const JSON_ARRAY = 'application/json';

const count = z.int().min(0);
const report = z.strictObject({
  created: count,
  updated: count,
  unchanged: count,
  failed: count,
  repeated: count,
  cleaned: count,
  errors: z.array(
    z.looseObject({
      line: z.int().min(1),
      externalId: z.string().optional(),
      code: z.string(),
      message: z.string().min(1),
      details: z.array(z.strictObject({ field: z.string(), code: z.string(), message: z.string() })).optional(),
    }),
  ),
});

export type Report = z.output<typeof report>;

interface Sent {
  type: string;
  body: string | Buffer | AsyncIterable<Uint8Array>;
  query?: string;
  headers?: Record<string, string>;
}

export function sendFile(service: TestService, tenant: Tenant, sent: Sent): Promise<Response> {
  const { type, body, query = '', headers = {} } = sent;
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body);
  return service.fetch(tenant, `/v1/imports${query}`, {
    method: 'POST',
    headers: { 'Content-Type': type, ...headers },
    body: isWhole ? new Uint8Array(Buffer.from(body)) : ReadableStream.from(body),
    duplex: 'half',
  });
}

export async function readReport(response: Response): Promise<Report> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return report.parse(JSON.parse(text));
}

/** Imports a file. @returns the report, with errors in the form `line: code (field: code, …)` */
export async function importFile(service: TestService, tenant: Tenant, sent: Sent) {
  const { errors, ...counts } = await readReport(await sendFile(service, tenant, sent));
  return { ...counts, errors: errors.map(shorten) };
}

function shorten({ line, code, details }: Report['errors'][number]): string {
  const faults = details?.map((fault) => `${fault.field}: ${fault.code}`).join(', ');
  return `${line}: ${code}${faults === undefined ? '' : ` (${faults})`}`;
}

/** Returns a report without failures. */
export function counts(created: number, updated = 0, unchanged = 0, repeated = 0) {
  return { created, updated, unchanged, failed: 0, repeated, cleaned: 0, errors: [] };
}

export function listAll(service: TestService, tenant: Tenant): Promise<ListReply> {
  return service.fetch(tenant, '/v1/listings').then(readList);
}
