import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defer } from '../../testkit/src/cleanup.ts';
import { createTenantByCommand } from '../../testkit/src/process.ts';
import { directoryFor, exitOf, serveFor } from '../../testkit/src/serving.ts';
import { until } from '../../testkit/src/until.ts';
import type { Listing, ListingEvent } from '../src/index.ts';
import { clientOf, HOME } from './support/connect.ts';
import { MemoryStore } from './support/memory-store.ts';
import { proxyFor } from './support/proxy.ts';

const RESTARTS = Number(process.env.FOLLOW_RESTARTS ?? 2);
const CREATED_BEFORE_RESTART = 30;

test(`across ${RESTARTS} restarts, follow neither misses nor repeats an event, and sync keeps a correct copy`, async (t) => {
  const settings = { DATA_DIR: await directoryFor(t), RATE_LIMIT: 'off' };
  const { key } = await createTenantByCommand(settings);
  let service = await serveFor(t, settings);
  const proxy = await proxyFor(t, service.url);
  const client = clientOf(key, proxy.url, { maxRetries: Infinity });
  const ending = new AbortController();
  const { signal } = ending;
  defer(t, () => ending.abort());
  const isEnded = (error: Error) => error.name === 'AbortError' && signal.aborted;

  const created: Listing[] = [];
  let isWriting = true;
  const writing = (async () => {
    while (isWriting) created.push(await client.listings.create(HOME, { signal }));
  })();
  const events: ListingEvent[] = [];
  const following = (async () => {
    for await (const event of client.events.follow({ after: 0 }, { signal })) events.push(event);
  })();
  const store = new MemoryStore();
  const syncing = client.listings.sync(store, { signal });
  const ended = Promise.all([following, syncing].map((endless) => assert.rejects(endless, isEnded)));

  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const enough = created.length + CREATED_BEFORE_RESTART;
    await until('listings are created', () => created.length >= enough);
    service.child.kill(restart % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    await exitOf(service.child);
    service = await serveFor(t, settings);
    proxy.target = service.url;
  }
  const enough = created.length + CREATED_BEFORE_RESTART;
  await until('listings are created again', () => created.length >= enough);
  // An aborted create could still be stored after the last list.
  isWriting = false;
  await writing;
  const last = created.at(-1)?.id;
  await until('the last creation was followed', () => events.some(({ listingId }) => listingId === last));
  await until('the last listing is in the copy', () => store.listings.has(last ?? ''));
  ending.abort();
  await ended;

  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  const followed = new Set(events.map(({ listingId }) => listingId));
  assert.deepEqual(
    created.filter(({ id }) => !followed.has(id)),
    [],
  );
  await client.listings.sync(store, { follow: false });
  assert.deepEqual([...store.listings.values()].sort(byId), (await Array.fromAsync(client.listings.list())).sort(byId));
});

function byId(left: Listing, right: Listing): number {
  return left.id < right.id ? -1 : 1;
}
