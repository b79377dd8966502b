import type { Exchange } from './connection.ts';
import { cycle } from './cycle.ts';
import { type Call, serializeCall } from './requests.ts';

/** Prices with six digits, so that all requests have the same length. */
const PRICE_MIN = 100_000;
const PRICES = 900_000;

export function updateCall(key: string, id: string, price = PRICE_MIN): Call {
  return { method: 'PATCH', path: `/v1/listings/${id}`, key, body: priceText(price) };
}

/** Endlessly generates updates, each with a new price, because an update to the same price changes nothing. */
export function endlessUpdates(port: number, key: string, ids: readonly string[], run: number): () => Exchange {
  const nextListing = cycle(
    ids.map((id) => {
      const text = serializeCall(port, updateCall(key, id)).toString('latin1');
      return { head: text.slice(0, -priceText(PRICE_MIN).length), id: Buffer.from(`"id":"${id}"`) };
    }),
  );
  let count = run;
  return () => {
    count += 1;
    const { head, id } = nextListing();
    const price = priceText(PRICE_MIN + (count % PRICES));
    return {
      request: Buffer.from(head + price),
      expected: { status: 200, contains: [id, Buffer.from(price.slice(1, -1))] },
    };
  };
}

function priceText(price: number): string {
  return `{"listPrice":${price}}`;
}
