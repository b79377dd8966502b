import assert, { AssertionError } from 'node:assert/strict';
import { formatGrowth } from '../../../../bench/src/formats.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { assertAftermath, readHeld, readLog, type Told } from './aftermath.ts';
import { type Attempt, attempt, type Trace } from './attempts.ts';
import { cutBody } from './cut-body.ts';
import { targetsOf } from './targets.ts';

const LANES = 32;
/** Who leaves at once waits for no reply: so many requests of a lane may be under way. All lanes together are no overload. */
const UNANSWERED_MAX = 10;
/** Then the rest would say the same. */
const BROKEN_MAX = 5;
/** What the process may keep: caches that fill, and what the collector has not looked at yet. */
const GROWTH_MAX_BYTES = 250e6;

/**
 * Sends whole streams, then cut ones, and ends the service.
 * @throws AssertionError when one is not answered as it must be, or leaves something behind
 */
export async function assault(
  service: ServeProcess,
  key: string,
  wholes: readonly Attempt[],
  cuts: readonly Attempt[],
): Promise<{ growthBytes: number; requests: number }> {
  const told: Told = { requests: new Map(), faults: [] };
  const traces = await sendAll(service, key, wholes, told);
  for (const target of targetsOf(key).filter(({ post }) => post.status === 201)) await cutBody(service.url, target);
  await assertAftermath(service, key, traces, told);
  const before = await readHeld(service);
  const cutTraces = await sendAll(service, key, cuts, told);
  await assertAftermath(service, key, [...traces, ...cutTraces], told);
  const after = await readHeld(service, before);
  const growthBytes = after.bytes - before.bytes;
  assert.ok(growthBytes < GROWTH_MAX_BYTES, `memory has grown: ${formatGrowth(growthBytes)}`);
  assert.equal(await service.end(), 0, 'the service ends as it is told');
  return { growthBytes, requests: told.requests.size };
}

async function sendAll(service: ServeProcess, key: string, given: readonly Attempt[], told: Told): Promise<Trace[]> {
  const port = Number(new URL(service.url).port);
  const traces: Trace[] = [];
  const broken: string[] = [];
  const waiting = given.values();
  const sendSome = async () => {
    let unanswered = 0;
    for (const each of waiting) {
      if (broken.length >= BROKEN_MAX) return;
      if (unanswered > UNANSWERED_MAX) {
        await catchUp(service, key);
        unanswered = 0;
      }
      unanswered += each.stream.pieces.length;
      const trace = await attempt(port, each).catch((error: unknown) => {
        if (!(error instanceof AssertionError)) throw error;
        broken.push(error.message);
      });
      if (trace !== undefined) traces.push(trace);
      readLog(service, told);
    }
  };
  await Promise.all(Array.from({ length: LANES }, sendSome));
  assert.ok(broken.length === 0, broken.join('; '));
  return traces;
}

/** Requests are begun in the order in which they come: what came before this one is under way when it is answered. */
async function catchUp({ url }: ServeProcess, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': 'catch-up', Connection: 'close' };
  const response = await fetch(`${url}/v1/me`, { headers });
  await response.text();
}
