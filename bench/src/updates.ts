import type { Exchange } from './connection.ts';
import { cycle } from './cycle.ts';
import { type Call, serializeCall } from './requests.ts';

/** All prices have six digits, so that every request has the same length. */
const PRICE_MIN = 100_000;
const PRICES = 900_000;

export function updateCall(key: string, id: string, price = PRICE_MIN): Call {
  return { method: 'PATCH', path: `/v1/listings/${id}`, key, body: priceText(price) };
}

/**
 * Endless changes of price, in listings that take turns. A listing's price is another each time, since the same one
 * would change nothing; only that part of a request is made anew.
 */
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
