import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createDirectory } from '../../testkit/src/service.ts';
import { listingSource } from '../src/listings.ts';
import { drawPicture } from '../src/search/picture.ts';
import { prepareRow } from '../src/search/prepare.ts';
import { makeSearchRows } from '../src/search/rows.ts';
import { SEED, startFilledPeer, startFilledService } from '../src/search/servers.ts';
import { prepareTurns } from '../src/search/turns.ts';

const LISTINGS = 2000;
const SECONDS_MAX = 0.5;

const directory = await createDirectory();
mkdirSync(join(directory, 'data'));
const place = { directory, cores: undefined, rounds: 1, seconds: 1 };
const service = await startFilledService(place, LISTINGS);
after(() => service.stop());
const peer = await startFilledPeer(place, service);
after(() => peer.stop());
after(() => rmSync(directory, { recursive: true }));

const rows = makeSearchRows(Array.from({ length: LISTINGS }, listingSource(SEED, 'MLS')), LISTINGS);
for (const row of rows) {
  test(`the requests of "${row.name}" are valid and differ, and the peer sends the same listings`, async () => {
    const prepared = await prepareRow(row, [service, peer], SECONDS_MAX);
    for (const exchanges of prepared) {
      const requests = new Set(exchanges.map(({ request }) => request.toString()));
      assert.ok(requests.size > 0);
      assert.equal(requests.size, exchanges.length);
    }
    assert.equal(new Set(row.queries).size, row.queries.length);
  });
}

test('each kind of turn gets the expected responses from both servers', async () => {
  for (const { measures } of await prepareTurns(rows.slice(0, 1), [service, peer], SECONDS_MAX)) {
    for (const measure of measures) assert.ok((await measure(0.1)).perSecond > 0);
  }
});

test('the picture has a bar for each server and row, and none for the complete list', () => {
  const measured = { perSecond: 10, busy: { server: 1, driver: 1, others: 0 } };
  const row = {
    group: 'filter' as const,
    service: measured,
    peer: measured,
    ofNewest: 1,
    ofPeer: 1,
    neighbourP99Ms: 1,
    isQuiet: true,
  };
  const svg = drawPicture('Speed', [
    { ...row, name: 'a search', unit: 'requests' },
    { ...row, name: 'a list', unit: 'listings' },
  ]);
  assert.equal(svg.match(/<rect x="265"/g)?.length, 2);
  assert.ok(!svg.includes('a list'));
});
