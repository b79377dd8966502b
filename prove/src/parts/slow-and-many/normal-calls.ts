import assert from 'node:assert/strict';
import type { Exchange } from '../../../../bench/src/connection.ts';
import { sendCall, serializeCall } from '../../../../bench/src/requests.ts';
import type { Trial } from '../../part.ts';

/** More than all buffers between two programs hold. */
const LISTINGS = { full: 6_000, small: 2_500 };
const DESCRIPTION_LENGTH = 3_600;
const BODY = '{"address":"12 Elm Street","beds":3,"baths":2}';

/** Makes the account's list long. */
export async function fill(url: string, key: string, { size }: Trial): Promise<void> {
  const rows = Array.from({ length: LISTINGS[size] }, (_, index) =>
    JSON.stringify({ address: `${index} Oak Lane`, beds: 3, baths: 2, description: 'x'.repeat(DESCRIPTION_LENGTH) }),
  );
  const response = await fetch(`${url}/v1/imports`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' },
    body: rows.join('\n'),
  });
  const report: unknown = await response.json();
  assert.equal(Object(report).created, rows.length, JSON.stringify(report));
}

/** What normal clients ask for, in turns. */
export async function normalCalls(port: number, key: string): Promise<() => Exchange> {
  const create = { method: 'POST', path: '/v1/listings', key, body: BODY } as const;
  const created = await sendCall(port, create);
  const { id } = JSON.parse(created.body.toString());
  const exchange = (call: Parameters<typeof serializeCall>[1], status: number, text: string): Exchange => ({
    request: serializeCall(port, call),
    expected: { status, contains: [Buffer.from(text)] },
  });
  const exchanges = [
    exchange({ method: 'GET', path: '/v1/me', key }, 200, '"account"'),
    exchange({ method: 'GET', path: `/v1/listings/${id}`, key }, 200, id),
    exchange(create, 201, '12 Elm Street'),
    exchange({ method: 'GET', path: '/v1/listings?limit=1', key }, 200, '"nextCursor"'),
  ];
  let turn = 0;
  return () => {
    turn += 1;
    const next = exchanges[turn % exchanges.length];
    assert.ok(next !== undefined);
    return next;
  };
}
