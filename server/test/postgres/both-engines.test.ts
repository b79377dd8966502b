import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import fc from 'fast-check';
import { EngineSide } from '../support/engine-side.ts';
import { type RandomRequest, requests } from '../support/random-requests.ts';

/** `npm run test:engines` sends 10,000. To repeat a failure, set the printed seed and path. */
const { ENGINE_REQUESTS = '400', ENGINE_SEED, ENGINE_PATH } = process.env;
/** The most requests per account; the average is about half. */
const ACCOUNT_REQUESTS_MAX = 100;

const seed = Number(ENGINE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const numRuns = Math.ceil(Number(ENGINE_REQUESTS) / (ACCOUNT_REQUESTS_MAX / 2));

// Both services read one clock, which stops during a request.
mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-21T12:00:00Z') });
const sides = await Promise.all([EngineSide.start('sqlite'), EngineSide.start('postgres')]);
after(() => Promise.all(sides.map((side) => side.stop())));

test('SQLite and PostgreSQL give the same responses to random requests: status, headers, and every byte', async (t) => {
  t.diagnostic(`ENGINE_SEED=${seed}`);
  let count = 0;
  const property = fc.asyncProperty(requests(ACCOUNT_REQUESTS_MAX), async (all) => {
    await Promise.all(sides.map((side) => side.beginAnew()));
    for (const [index, request] of all.entries()) {
      mock.timers.setTime(Date.now() + request.pauseMs);
      await compare(request, index);
      count += 1;
    }
  });
  await fc.assert(property, { seed, numRuns, ...(ENGINE_PATH !== undefined && { path: ENGINE_PATH }) });
  t.diagnostic(`${count} requests`);
});

async function compare(request: RandomRequest, index: number): Promise<void> {
  const [sqlite, postgres] = await Promise.all(sides.map((side) => side.send(request)));
  assert.deepEqual(postgres, sqlite, `Request ${index}: ${JSON.stringify(request)}`);
  assert.notEqual(sqlite?.status, 500);
}
