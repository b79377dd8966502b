import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import type { Tenant, TestService } from '../../../testkit/src/service.ts';
import { decodeRecord } from './decode-record.ts';

export const JSON_TYPE = 'application/json';
export const NDJSON = 'application/x-ndjson';
export const CSV = 'text/csv';
export const GEOJSON = 'application/geo+json';
/** The media types of a list. */
export const FORMATS = [JSON_TYPE, NDJSON, CSV, GEOJSON];

/** A listing, or its requested fields. */
export type Members = Record<string, unknown>;

/** Requests a list in a format and returns the text; the response must have that format. */
export async function readText(service: TestService, tenant: Tenant, format: string, query = ''): Promise<string> {
  const response = await service.fetch(tenant, `/v1/listings${query}`, { headers: { Accept: format } });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get('content-type')?.split(';')[0], format);
  return text;
}

/** The listings in a list of this format. */
export function parseList(format: string, text: string): Members[] {
  if (format === NDJSON) return parseLines(text);
  if (format === CSV) return parseTable(text);
  const { data, features }: { data?: Members[]; features?: { properties: Members }[] } = JSON.parse(text);
  return data ?? features?.map(({ properties }) => properties) ?? [];
}

function parseLines(text: string): Members[] {
  const lines = text.split('\n');
  assert.deepEqual([lines.pop(), JSON.parse(lines.pop() ?? '').end], ['', true]);
  return lines.map((line) => JSON.parse(line));
}

function parseTable(text: string): Members[] {
  assert.ok(text.endsWith('\r\n'));
  const records: Record<string, string>[] = parse(text, { columns: true, record_delimiter: '\r\n' });
  return records.map((record) => {
    const members = Object.entries(Object(decodeRecord(record)));
    return Object.fromEntries(members.filter(([, value]) => value !== null));
  });
}
