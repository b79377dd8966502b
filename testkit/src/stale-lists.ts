import assert from 'node:assert/strict';

interface Body {
  id: string;
  sequence: number;
  data: { id: string; listPrice: number }[];
}

interface Target {
  url: string;
  key: string;
}

/** Lists with different parameters and orders, some of which are requested several times in a row. */
const LISTS = ['?limit=20', '?limit=20', '?limit=20&sort=-listPrice', '?fields=id,listPrice', '?beds=3&count=true', ''];
const LISTING = { address: '12 Elm Street', beds: 3, baths: 2, listPrice: 1 };
const ENCODINGS = ['identity', 'gzip', 'br'];
const READERS = 4;
const WRITERS = 2;

/** Checks that lists have the prices that were acknowledged before the request, or later ones, while prices change. */
export async function readListsWhileWriting(target: Target, count: number): Promise<void> {
  const acknowledged = { prices: new Map<string, number>(), changes: 0 };
  for (let writer = 0; writer < WRITERS; writer += 1) {
    const { id } = await send(target, 'POST', '/v1/listings', LISTING);
    acknowledged.prices.set(id, LISTING.listPrice);
    acknowledged.changes += 1;
  }
  let left = count;
  const read = async () => {
    for (let turn = 0; left > 0; turn += 1) {
      left -= 1;
      const before = { prices: [...acknowledged.prices], changes: acknowledged.changes };
      const headers = { 'Accept-Encoding': ENCODINGS[turn % ENCODINGS.length] ?? '' };
      const list = await send(target, 'GET', `/v1/listings${LISTS[turn % LISTS.length]}`, undefined, headers);
      const what = () => `a stale list: ${JSON.stringify({ before, list })}`;
      // Each change increases the sequence by one.
      assert.ok(list.sequence >= before.changes, what());
      const prices = new Map(list.data.map(({ id, listPrice }) => [id, listPrice]));
      for (const [id, price] of before.prices) assert.ok((prices.get(id) ?? 0) >= price, what());
    }
  };
  const write = async (id: string) => {
    for (let listPrice = LISTING.listPrice + 1; left > 0; listPrice += 1) {
      await send(target, 'PATCH', `/v1/listings/${id}`, { listPrice });
      acknowledged.prices.set(id, listPrice);
      acknowledged.changes += 1;
      // Read a list here, so that some lists are read repeatedly without a change in between.
      if (listPrice % 3 === 0) await send(target, 'GET', '/v1/listings?limit=20');
    }
  };
  const ids = [...acknowledged.prices.keys()];
  await Promise.all([...ids.map(write), ...Array.from({ length: READERS }, read)]);
  for (const price of acknowledged.prices.values()) assert.ok(price > READERS, 'a listing hardly changed during reads');
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
