import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { TestDatabase } from '../../../../testkit/src/database.ts';
import { assertKept, type Known } from '../../../../testkit/src/ledger.ts';
import type { Trial } from '../../part.ts';
import { serve } from '../../service.ts';
import { ledgerAt, read, readEvents } from './history.ts';
import type { Taken } from './taking.ts';
import type { Done, Noted } from './work.ts';

/** A restored database, and the epoch that the command reported. */
export interface Restored {
  settings: Record<string, string>;
  database: TestDatabase;
  epoch: string;
}

/** The restored database must be a state that the service had, under a new epoch. */
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
  const expectStatus = async (status: number, path: string, words: string, more = {}) => {
    const headers = { Authorization: `Bearer ${key}`, ...more };
    assert.equal((await fetch(`${service.url}/v1${path}`, { headers })).status, status, words);
  };
  const earlier = `/events?after=${before.sequence}&epoch=${epoch}`;
  await expectStatus(410, earlier, 'a sequence of before is taken for a new one');
  const later = `/events?after=${events.length}`;
  if (events.length > sequence) await expectStatus(410, later, 'a later sequence is good');
  const matching = { 'If-None-Match': etag };
  if (etag !== undefined) await expectStatus(200, '/listings?limit=1', 'an old ETag matches', matching);
  assert.equal(await service.end(), 0, 'the service did not end well');
}

/** Everything that was acknowledged before the backup started. */
function assertHas({ known, gone }: Noted, restored: Map<string, { version: number }>): void {
  const isOlder = ({ address, version }: Known) => (restored.get(address)?.version ?? version) < version;
  const older = [...known.values()].filter(isOlder);
  assert.equal(older.length, 0, `${older.length} listings of a backup are older than what was acknowledged before`);
  const back = [...gone].filter((address) => restored.has(address));
  assert.equal(back.length, 0, `${back.length} deleted listings are in a backup`);
}
