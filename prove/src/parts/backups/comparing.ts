import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { TestDatabase } from '../../../../testkit/src/database.ts';
import { assertKept } from '../../../../testkit/src/ledger.ts';
import type { Trial } from '../../part.ts';
import { serve } from '../../service.ts';
import { ledgerAt, read, readEvents } from './history.ts';
import type { Taken } from './taking.ts';
import type { Done, Noted } from './work.ts';

/** What was restored, and the epoch that it was said to have. */
export interface Restored {
  settings: Record<string, string>;
  database: TestDatabase;
  epoch: string;
}

/** Looks whether what was restored is a state that the service had, under an epoch of its own. */
export async function compare(
  trial: Trial,
  { tenant, events, epoch }: Done,
  { before, to, etag }: Pick<Taken, 'before' | 'to' | 'etag'>,
  { settings, database, epoch: saidEpoch }: Restored,
): Promise<void> {
  const { key } = tenant;
  const service = await serve(trial, settings);
  const list = await read<{ sequence: number; epoch: string }>(service.url, '/listings?limit=1', key);
  const { sequence } = list;
  const missing = before.sequence - sequence;
  assert.ok(missing <= 0, `${missing} changes that were acknowledged before are not in a backup`);
  assert.ok(sequence <= to, `a backup has ${sequence - to} changes of after its end`);
  assertHas(before, ledgerAt(events, sequence).known);
  await assertKept(service.url, tenant, database, ledgerAt(events, sequence));
  const told = await readEvents(service.url, key);
  const different = told.findIndex((event, index) => !isDeepStrictEqual(event, events[index]));
  assert.equal(different, -1, `event ${different + 1} of a backup is not what happened`);

  assert.notEqual(list.epoch, epoch, 'a restored database has the epoch of the one before');
  assert.equal(list.epoch, saidEpoch, 'a restored database has another epoch than was said');
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const all = { Authorization: `Bearer ${key}`, ...headers };
    return (await fetch(`${service.url}/v1${path}`, { headers: all })).status;
  };
  assert.equal(
    await ask(`/events?after=${before.sequence}&epoch=${epoch}`),
    410,
    'a sequence of before is taken for a new one',
  );
  if (events.length > sequence)
    assert.equal(await ask(`/events?after=${events.length}`), 410, 'a later sequence is good');
  if (etag !== undefined)
    assert.equal(await ask('/listings?limit=1', { 'If-None-Match': etag }), 200, 'an old ETag matches');
  assert.equal(await service.end(), 0, 'the service did not end well');
}

/** What the load had been told when the backup was begun, whatever the service says. */
function assertHas({ known, gone }: Noted, restored: Map<string, { version: number }>): void {
  const older = [...known.values()].filter(
    ({ address, version }) => (restored.get(address)?.version ?? version) < version,
  );
  assert.equal(older.length, 0, `${older.length} listings of a backup are older than what was acknowledged before`);
  const back = [...gone].filter((address) => restored.has(address));
  assert.equal(back.length, 0, `${back.length} deleted listings are in a backup`);
}
