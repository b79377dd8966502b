import assert from 'node:assert/strict';
import type { Exchange } from '../../../../bench/src/connection.ts';
import { sendCall, serializeCall } from '../../../../bench/src/requests.ts';
import { createLedger, descriptionOf, type Ledger } from '../../../../testkit/src/ledger.ts';
import type { Trial } from '../../part.ts';
import { importRows } from '../../service.ts';

/** Enough listings to make the list larger than all socket buffers. */
const LISTINGS = { full: 6_000, small: 2_500 };
/** Prices from which the ledger derives descriptions of 3,597 and 13 characters. */
const PRICES = { long: 128, short: 280 };
export const UNFINISHED = '1 Unfinished Lane';

export async function fill(url: string, key: string, { size }: Trial): Promise<Ledger> {
  const ledger = createLedger();
  ledger.gone.add(UNFINISHED);
  const rows = Array.from({ length: LISTINGS[size] }, (_, index) => note(ledger, `${index} Oak Lane`, PRICES.long));
  await importRows(url, key, rows);
  return ledger;
}

function note({ known }: Ledger, address: string, listPrice: number): string {
  known.set(address, { address, listPrice, version: 1 });
  return JSON.stringify({ address, beds: 3, baths: 2, listPrice, description: descriptionOf(listPrice) });
}

/** Returns a function that returns the requests of normal clients in turn, each with its expected response. */
export async function normalCalls(port: number, key: string, ledger: Ledger): Promise<() => Exchange> {
  const create = () => {
    const body = note(ledger, `${ledger.known.size} Elm Lane`, PRICES.short);
    return { method: 'POST', path: '/v1/listings', key, body } as const;
  };
  const created = await sendCall(port, create());
  const { id } = JSON.parse(created.body.toString());
  const exchange = (call: Parameters<typeof serializeCall>[1], status: number, text: string): Exchange => ({
    request: serializeCall(port, call),
    expected: { status, contains: [Buffer.from(text)] },
  });
  const me = exchange({ method: 'GET', path: '/v1/me', key }, 200, '"account"');
  const listing = exchange({ method: 'GET', path: `/v1/listings/${id}`, key }, 200, id);
  const page = exchange({ method: 'GET', path: '/v1/listings?limit=1', key }, 200, '"nextCursor"');
  const turns = [() => me, () => listing, () => exchange(create(), 201, 'Elm Lane'), () => page];
  let turn = 0;
  return () => {
    turn += 1;
    const next = turns[turn % turns.length];
    assert.ok(next !== undefined);
    return next();
  };
}
