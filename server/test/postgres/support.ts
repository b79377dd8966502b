import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { createPostgresDatabase, type TestDatabase } from '../../../testkit/src/database.ts';
import { openSocket, type RawReply, readReply } from '../../../testkit/src/raw-http.ts';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';

export const LISTING = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });

/** A database that is gone after the test: on a server of the test's own, or the one that all share. */
export async function databaseFor(t: TestContext, server?: string): Promise<TestDatabase> {
  const database = await createPostgresDatabase(server);
  t.after(() => database.drop());
  return database;
}

/** The service in this process, until the test is over. `url` leads to the database by another way. */
export async function serviceFor(
  t: TestContext,
  database: TestDatabase,
  { url = database.url, ...options }: { url?: string } & Parameters<typeof startTestService>[0] = {},
): Promise<TestService> {
  const service = await startTestService({ ...options, database: { ...database, url, drop: async () => {} } });
  t.after(() => service[Symbol.asyncDispose]());
  return service;
}

/** A session of another program, until the test is over. */
export async function clientFor(t: TestContext, { url }: Pick<TestDatabase, 'url'>): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return client;
}

export interface TimedReply extends RawReply {
  durationMs: number;
}

/** Sends requests one after the other on one connection, which must stay open. */
export async function connectionFor(t: TestContext, url: string) {
  const socket = await openSocket(url);
  t.after(() => socket.destroy());
  return async (request: string): Promise<TimedReply> => {
    const startTimeMs = performance.now();
    socket.write(request);
    const reply = await readReply(socket);
    assert.ok(reply !== undefined && !reply.closes, 'the connection stays open');
    return { ...reply, durationMs: performance.now() - startTimeMs };
  };
}

/** The promise of a database that cannot be used: a refusal that names a time to come again, within five seconds. */
export function assertUnavailable({ status, head, body, durationMs }: TimedReply): void {
  assert.equal(status, 503, body);
  assert.equal(JSON.parse(body).error.code, 'unavailable');
  assert.match(head, /^retry-after: \d+$/im);
  assert.ok(durationMs < 5_000, `told after ${durationMs} ms`);
}

/** As `assertStored`: every acknowledged listing is there, and the sequence has neither gap nor double. */
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
