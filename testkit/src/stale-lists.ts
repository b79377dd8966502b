import assert from 'node:assert/strict';

interface Body {
  id: string;
  sequence: number;
  data: { listPrice: number }[];
}

interface Target {
  url: string;
  key: string;
}

/** Different media types, encodings, and orders, some of them several times in a row. */
const LISTS = ['?limit=20', '?limit=20', '?limit=20&sort=-listPrice', '?fields=id,listPrice', '?beds=3&count=true', ''];
const ENCODINGS = ['identity', 'gzip', 'br'];
const READERS = 4;

/**
 * Changes the price of a listing again and again, and meanwhile reads lists, each of which must have
 * the price of the last change that was acknowledged before the request, or a later one.
 */
export async function readListsWhileWriting(target: Target, count: number): Promise<void> {
  const created = await send(target, 'POST', '/v1/listings', {
    address: '12 Elm Street',
    beds: 3,
    baths: 2,
    listPrice: 1,
  });
  const acknowledged = { price: 1, sequence: 1 };
  let left = count;
  const read = async () => {
    for (let turn = 0; left > 0; turn += 1) {
      left -= 1;
      const before = { ...acknowledged };
      const headers = { 'Accept-Encoding': ENCODINGS[turn % ENCODINGS.length] ?? '' };
      const list = await send(target, 'GET', `/v1/listings${LISTS[turn % LISTS.length]}`, undefined, headers);
      assert.ok(list.sequence >= before.sequence, `${list.sequence} is before ${before.sequence}`);
      assert.ok((list.data[0]?.listPrice ?? 0) >= before.price, `a stale list: ${JSON.stringify({ ...before, list })}`);
    }
  };
  const write = async () => {
    while (left > 0) {
      const listPrice = acknowledged.price + 1;
      await send(target, 'PATCH', `/v1/listings/${created.id}`, { listPrice });
      acknowledged.price = listPrice;
      acknowledged.sequence += 1;
      // Some lists are read several times between two changes.
      if (listPrice % 3 === 0) await send(target, 'GET', '/v1/listings?limit=20');
    }
  };
  await Promise.all([write(), ...Array.from({ length: READERS }, read)]);
  assert.ok(acknowledged.price > READERS, 'the listing changed meanwhile');
}

async function send(
  { url, key }: Target,
  method: string,
  path: string,
  body?: object,
  headers?: object,
): Promise<Body> {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return (await response.json()) as Body;
}
