import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, readError, readList } from '../../../testkit/src/replies.ts';
import type { TestService } from '../../../testkit/src/service.ts';

/** A body that must be rejected, and the error. */
export interface Refusal {
  name: string;
  body: string | Buffer;
  /** Headers in addition to `Content-Type: application/json`, which null removes. */
  headers?: Record<string, string | null>;
  query?: string;
  /** Sends the body without its length. */
  isChunked?: boolean;
  status: number;
  code: string;
  /** `field: code` of every validation issue, in any order; none by default. */
  faults?: string[];
  /** The start of the error, in bytes. */
  offset?: number;
}

/** Text that no response must contain: names of the engine or the code, or stack traces. */
const SECRETS = /sqlite|constraint|node_modules|file:\/\/|\.ts:\d|\bat \w+ \(|prototype|zod|undefined|\[object/i;

/** Declares a test for each row: the body is rejected, nothing is stored, and nothing leaks. */
export function testRefusals(service: TestService, refusals: Refusal[]): void {
  for (const refusal of refusals) test(refusal.name, () => assertRefused(service, refusal));
}

async function assertRefused(service: TestService, refusal: Refusal): Promise<void> {
  const { body, headers = {}, query = '', isChunked = false, status, code, faults = [], offset } = refusal;
  const tenant = await service.createTenant();
  const sent = { 'Content-Type': 'application/json', ...headers };
  const bytes = new Uint8Array(Buffer.from(body));
  const response = await service.fetch(tenant, `/v1/listings${query}`, {
    method: 'POST',
    headers: Object.entries(sent).flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[name, value]],
    ),
    body: isChunked ? ReadableStream.from([bytes]) : bytes,
    duplex: 'half',
  });
  const copy = response.clone();
  const error = await readError(response, status, code);
  assert.deepEqual(faultsOf(error), [...faults].sort());
  assert.equal(error.offset, offset);
  for (const { message } of error.details ?? []) assert.match(message, /^[A-Z].*[.?]$/s);

  const text = await copy.text();
  assert.doesNotMatch(text, SECRETS);
  assert.ok(!text.includes(tenant.key) && !text.includes(tenant.accountId));
  const { data, sequence } = await readList(await service.fetch(tenant, '/v1/listings'));
  assert.deepEqual({ data, sequence }, { data: [], sequence: 0 });
}
