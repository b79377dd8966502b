import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Part, Trial } from '../part.ts';
import { serve, settingsOf } from '../service.ts';
import { createWorld } from './fuzz/accounts.ts';
import { makeDrafts } from './fuzz/drafts.ts';
import { Lane } from './fuzz/lane.ts';
import { Tally } from './fuzz/tally.ts';

const SIZES = {
  full: { lanes: 8, requests: 180_000, timesMin: 5 },
  small: { lanes: 6, requests: 20_000, timesMin: 0 },
};
/** Drafts that are made at a time. */
const DRAFTS = 200;
/** So far apart that no lane has another one's choices. */
const LANE_SEEDS = 0x1000_0000;
/** Whose X-Forwarded-For is believed. */
const TRUSTED_PROXIES = '127.0.0.1';

export const fuzz: Part = {
  name: 'fuzz',
  title: 'Fuzz from OpenAPI',
  promise: 'Whatever is sent, the reply is one that the documents of the API have, and no error of the service.',
  faults: [],
  async run(trial) {
    const tally = new Tally();
    const { requests, timesMin } = SIZES[trial.size];
    await runLanes(trial, tally);
    const missing = tally.missing(timesMin);
    assert.deepEqual(missing, [], `documented outcomes were seen less than ${timesMin} times`);
    return {
      tried: `${requests} generated requests`,
      figure: `${tally.replies} replies, each as documented`,
      figures: tally.lines(),
    };
  },
};

async function runLanes(trial: Trial, tally: Tally): Promise<void> {
  const settings = { TRUSTED_PROXIES };
  const service = await serve(trial, settings);
  const { lanes, requests } = SIZES[trial.size];
  const running = Array.from({ length: lanes }, async (_, index) => {
    const world = await createWorld(service.url, settingsOf(trial, settings), index);
    const lane = new Lane(service.url, world.callers, world.administratorId, tally);
    await lane.begin();
    await runLane(lane, `lane ${index} of seed ${trial.seed}`, trial.seed + index * LANE_SEEDS, requests / lanes);
  });
  const shown = setInterval(() => trial.say(`${tally.replies} replies`), 10_000);
  trial.after(() => clearInterval(shown));
  await Promise.all(running);
}

async function runLane(lane: Lane, name: string, seed: number, requests: number): Promise<void> {
  const drafts = makeDrafts();
  for (let first = 0; first < requests; first += DRAFTS) {
    for (const draft of fc.sample(drafts, { seed: seed + first, numRuns: DRAFTS })) {
      await lane.take(draft).catch((error: unknown) => {
        if (!(error instanceof assert.AssertionError)) throw new Error(`after ${lane.history}`, { cause: error });
        const { message } = error;
        assert.fail(`${message}\nin ${name}, after:\n${lane.history}`);
      });
    }
  }
}
