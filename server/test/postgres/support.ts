import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createPostgresDatabase, type TestDatabase } from '../../../testkit/src/database.ts';
import { openSocket, type RawReply, readReply } from '../../../testkit/src/raw-http.ts';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';

export const LISTING = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });

/** A database until the end of the test, on the given server or the shared one. */
export async function databaseFor(t: TestContext, server?: string): Promise<TestDatabase> {
  const database = await createPostgresDatabase(server);
  defer(t, () => database.drop());
  return database;
}

/** The service in this process until the end of the test. `url` can lead through a proxy. */
export async function serviceFor(
  t: TestContext,
  database: TestDatabase,
  { url = database.url, ...options }: { url?: string } & Parameters<typeof startTestService>[0] = {},
): Promise<TestService> {
  const service = await startTestService({ ...options, database: { ...database, url, drop: async () => {} } });
  defer(t, () => service[Symbol.asyncDispose]());
  return service;
}

/** Another program's database session, until the end of the test. */
export async function clientFor(t: TestContext, { url }: Pick<TestDatabase, 'url'>): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  defer(t, () => client.end());
  return client;
}

export interface TimedReply extends RawReply {
  durationMs: number;
}

/** Sends requests one by one on one connection, which must stay open. */
export async function connectionFor(t: TestContext, url: string) {
  const socket = await openSocket(url);
  defer(t, () => socket.destroy());
  return async (request: string): Promise<TimedReply> => {
    const startTimeMs = performance.now();
    socket.write(request);
    const reply = await readReply(socket);
    assert.ok(reply !== undefined && !reply.closes, 'the connection stays open');
    return { ...reply, durationMs: performance.now() - startTimeMs };
  };
}

/** What a request gets while the database is down: 503 with Retry-After within five seconds. */
export function assertUnavailable({ status, head, body, durationMs }: TimedReply): void {
  assert.equal(status, 503, body);
  assert.equal(JSON.parse(body).error.code, 'unavailable');
  assert.match(head, /^retry-after: \d+$/im);
  assert.ok(durationMs < 5_000, `after ${durationMs} ms`);
}

/** Like `assertStored`: every acknowledged listing exists, and the sequence has no gaps. */
export async function assertAllStored(
  { sql }: Pick<TestDatabase, 'sql'>,
  accountId: string,
  acknowledged: Iterable<string>,
): Promise<void> {
  const stored = new Set((await sql('select id from listings where account_id = ?', accountId)).map(({ id }) => id));
  const missing = [...acknowledged].filter((id) => !stored.has(id));
  assert.deepEqual(missing, [], 'no acknowledged listing is missing');
  const [head] = await sql('select sequence, listing_count from account_heads where account_id = ?', accountId);
  assert.deepEqual(head, { sequence: stored.size, listing_count: stored.size });
  for (const table of ['events', 'listings']) {
    const rows = await sql(`select sequence from ${table} where account_id = ? order by sequence`, accountId);
    const sequences = rows.map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      Array.from({ length: stored.size }, (_, index) => index + 1),
    );
  }
}
