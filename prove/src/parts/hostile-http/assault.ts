import assert, { AssertionError } from 'node:assert/strict';
import { formatGrowth } from '../../../../bench/src/formats.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { beginRequest, openSocket, readReply } from '../../../../testkit/src/raw-http.ts';
import { assertAftermath, readHeld, readLog, type Told } from './aftermath.ts';
import { type Attempt, attempt, type Trace } from './attempts.ts';
import { chunk, chunked, LAST } from './bodies.ts';
import { MARK, type Target, targetsOf } from './streams.ts';

/** As long as the mark, so that the chunk size stays right. */
const CUT = 'cut'.padEnd(MARK.length, '-');
const LANES = 32;
/**
 * Clients that leave at once do not wait, so this many requests of a lane may be pending. All lanes
 * together stay below overload.
 */
const UNANSWERED_MAX = 10;
/** More would say the same. */
const BROKEN_MAX = 5;
/** Filling caches, and garbage that is not collected yet. */
const GROWTH_MAX_BYTES = 250e6;

/**
 * Sends whole streams, then cut ones, and stops the service.
 * @throws AssertionError on a wrong response or a leftover
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
  assert.equal(await service.end(), 0, 'the exit code of the service');
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

/** Requests start in order of arrival: once this one is answered, earlier ones have started. */
async function catchUp({ url }: ServeProcess, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': 'catch-up', Connection: 'close' };
  const response = await fetch(`${url}/v1/me`, { headers });
  await response.text();
}

/**
 * Closes the connection before the last byte of the last chunk.
 * @throws AssertionError when the body counts as complete
 */
async function cutBody(url: string, target: Target): Promise<void> {
  const socket = await openSocket(url);
  const bytes = chunked(chunk() + LAST)
    .bytes(target)
    .replaceAll(MARK, CUT);
  await beginRequest(socket, bytes);
  const reply = readReply(socket);
  socket.end();
  assert.notEqual((await reply)?.status, 201, 'a body without its last byte is taken for whole');
}
