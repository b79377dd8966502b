import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createTenantByCommand } from '../../../testkit/src/process.ts';
import { serveFor } from '../../../testkit/src/serving.ts';
import type { SmallDisk } from '../../../testkit/src/small-disk.ts';
import { until } from '../../../testkit/src/until.ts';
import { ndjson, type Run } from './feeds.ts';

const MEGABYTE = 2 ** 20;
/** Longer than the lease of a run. */
const LEASE_ENDS_MS = 60_000;
/** About 10 MB: more than the run keeps in memory, and than the small disk of the database has. */
const ROWS = Array.from({ length: 6_000 }, (_, n) => ({
  externalId: `A-${n}`,
  address: '12 Elm Street',
  beds: 3,
  baths: 2,
  description: Array.from({ length: 125 }, (_, word) => (n * 7_919 + word * 104_729).toString(36)).join(' '),
}));

/** Starts a service with an account, and returns functions that call it. */
async function start(t: TestContext, settings: Record<string, string>) {
  const { key } = await createTenantByCommand(settings);
  const { url } = await serveFor(t, settings);
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' };
    const response = await fetch(`${url}/v1${path}`, { headers, ...init });
    return { status: response.status, body: Object(await response.json()) };
  };
  const send = (rows: object[]) => ask('/feeds/mls', { method: 'PUT', body: ndjson(rows) });
  const count = async (): Promise<number> => {
    const { total, sequence } = (await ask('/listings?limit=1&count=true')).body;
    assert.equal(sequence, total, 'each listing has its event');
    return total;
  };
  const outcomes = async () => (await ask('/feeds/mls/runs')).body.data.map(({ outcome }: Run) => outcome);
  return { send, count, outcomes };
}

/** Fills the disk of the rows' temporary file. The run must fail before the first write. */
export async function stageOnFullDisk(t: TestContext, settings: Record<string, string>, disk: SmallDisk) {
  const { send, count, outcomes } = await start(t, { ...settings, SQLITE_TMPDIR: disk.directory });
  disk.fill();
  const { status, body } = await send(ROWS);
  assert.deepEqual([status, body.error?.code], [507, 'storage_full']);
  assert.deepEqual([await count(), await outcomes()], [0, ['failed']]);
  disk.makeRoom();
  // On a busy machine, a statement can exceed its time limit; then the client sends the file again.
  const run = await until('the file is accepted', async () => {
    const again = await send(ROWS);
    assert.ok(again.status === 200 || again.body.error.code === 'unavailable', JSON.stringify(again.body));
    return again.status === 200 && again.body;
  });
  assert.equal(run.created + run.unchanged, ROWS.length);
}

/** Sends a file that does not fit on the database's disk, and again when it does. */
export async function applyOnFullDisk(t: TestContext, settings: Record<string, string>, disk: SmallDisk) {
  const { send, count, outcomes } = await start(t, settings);
  const { status, body } = await send(ROWS);
  assert.deepEqual([status, body.error?.code], [507, 'storage_full']);
  const stored = await count();
  assert.ok(stored > 0 && stored < ROWS.length, String(stored));
  assert.ok(body.error.message.includes(`after it had changed ${stored} listings`), body.error.message);
  disk.grow(256 * MEGABYTE);
  // On the full disk, the end of the run may not have been stored; then its lease must end.
  const run = await until(
    'the file is accepted again',
    async () => {
      const again = await send(ROWS);
      assert.ok(again.status === 200 || again.body.error.code === 'feed_busy', JSON.stringify(again.body));
      return again.status === 200 && again.body;
    },
    LEASE_ENDS_MS,
  );
  assert.deepEqual([run.created, run.unchanged, run.failed], [ROWS.length - stored, stored, 0]);
  assert.equal(await count(), ROWS.length);
  const [last, first] = await outcomes();
  assert.equal(last, 'succeeded');
  assert.ok(first === 'failed' || first === 'interrupted', first);
}
