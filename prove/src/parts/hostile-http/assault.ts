import assert, { AssertionError } from 'node:assert/strict';
import { formatGrowth } from '../../../../bench/src/formats.ts';
import { residentBytesOf } from '../../../../bench/src/process-stats.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { beginRequest, openSocket, readReply } from '../../../../testkit/src/raw-http.ts';
import { hasEnded } from '../../../../testkit/src/serving.ts';
import { untilStill } from '../../../../testkit/src/still.ts';
import { until } from '../../../../testkit/src/until.ts';
import { workersOf } from '../../../../testkit/src/workers.ts';
import { atOnce } from '../../at-once.ts';
import { countSockets, send } from '../../service.ts';
import { type Attempt, attempt, describeAttempt, FOLLOWER, type Trace } from './attempts.ts';
import { chunk, chunked, LAST } from './bodies.ts';
import { MARK, SMUGGLED, type Target, targetsOf } from './streams.ts';

/** Replaces the mark in a body that is cut. It is as long as the mark, so that the chunk size stays correct. */
const CUT = 'cut'.padEnd(MARK.length, '-');
const LANES = 32;
/** The maximum number of pending requests per lane. Without it, clients that disconnect would overload the service. */
const UNANSWERED_MAX = 10;
const BROKEN_MAX = 5;
/** The allowed growth of memory, for caches and uncollected garbage. */
const GROWTH_MAX_BYTES = 250e6;

/** @throws AssertionError on a wrong response, request, or listing, or if memory grows too much */
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
  assert.ok(growthBytes < GROWTH_MAX_BYTES, `memory grew: ${formatGrowth(growthBytes)}`);
  assert.equal(await service.end(), 0, 'the service did not exit with 0');
  return { growthBytes, requests: told.requests.size };
}

async function sendAll(service: ServeProcess, key: string, given: readonly Attempt[], told: Told): Promise<Trace[]> {
  const port = Number(new URL(service.url).port);
  const traces: Trace[] = [];
  const broken: string[] = [];
  const waiting = given.values();
  await atOnce(LANES, async () => {
    let unanswered = 0;
    for (const each of waiting) {
      if (broken.length >= BROKEN_MAX) return;
      if (unanswered > UNANSWERED_MAX) {
        // Requests start in order of arrival, so all earlier ones have started once this one has its response.
        await send(service.url, key, 'GET', '/me', undefined, { 'X-Request-Id': 'catch-up', Connection: 'close' });
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
  });
  assert.ok(broken.length === 0, broken.join('; '));
  return traces;
}

/** @throws AssertionError if the service treats a chunked body without its last byte as complete */
async function cutBody(url: string, target: Target): Promise<void> {
  const socket = await openSocket(url);
  const bytes = chunked(chunk() + LAST)
    .bytes(target)
    .replaceAll(MARK, CUT);
  await beginRequest(socket, bytes);
  const reply = readReply(socket);
  socket.end();
  assert.notEqual((await reply)?.status, 201, 'a body without its last byte counts as complete');
}

/** What the log contains: the number of requests by id, and errors. */
interface Told {
  requests: Map<unknown, number>;
  /** Log lines that clients must not be able to cause. */
  faults: Record<string, unknown>[];
}

function readLog({ log }: ServeProcess, { requests, faults }: Told): void {
  for (const line of log.splice(0)) {
    if (line.msg === 'request') requests.set(line.requestId, (requests.get(line.requestId) ?? 0) + 1);
    if (Number(line.level) > 30 || Number(line.status) >= 500) faults.push(line);
  }
}

async function assertAftermath(service: ServeProcess, key: string, traces: readonly Trace[], told: Told) {
  assert.ok(!hasEnded(service.child), `the service has ended: ${service.stderr()}`);
  const id = `aftermath-${traces.length}`;
  const path = '/listings?fields=address';
  const { status, text } = await send(service.url, key, 'GET', path, undefined, { 'X-Request-Id': id });
  assert.equal(status, 200);
  const { data }: { data: { address: string }[] } = JSON.parse(text);
  const addresses = data.map(({ address }) => address);
  await until('the log is written', () => {
    readLog(service, told);
    return told.requests.has(id);
  });
  // Other processes of the service can write to the log later.
  await untilStill('no more is logged', () => {
    readLog(service, told);
    return told.requests.size;
  });
  assert.deepEqual(told.faults.slice(0, 3), [], 'errors in the log');
  assert.equal(told.requests.get(SMUGGLED), undefined, 'smuggled requests were executed');
  for (const { mark, requests, attempt } of traces) {
    const [least, most] = requests;
    const count = told.requests.get(mark) ?? 0;
    assert.ok(least <= count && count <= most, `${describeAttempt(attempt)} made ${count} requests`);
    const isGood = !told.requests.has(FOLLOWER + mark) || attempt.stream.next(attempt.target) !== 'not done';
    assert.ok(isGood, `${describeAttempt(attempt)}: the request after it was executed`);
  }
  assert.ok(!addresses.includes(SMUGGLED), 'a smuggled request created a listing');
  const created = new Set(addresses);
  assert.equal(created.size, addresses.length, 'a request created two listings');
  for (const { mark, isCreated, attempt } of traces)
    assert.equal(created.has(mark), isCreated ?? created.has(mark), `the listing of ${describeAttempt(attempt)}`);
  const others = addresses.filter((address) => !address.startsWith('mark-'));
  assert.deepEqual(others, [], 'listings of incomplete requests');
}

/** Measures the memory and sockets of the service's processes, once no more sockets are open than before. */
async function readHeld(service: ServeProcess, before?: { sockets: number }) {
  const processes = [Number(service.child.pid), ...(await workersOf(service))];
  const sumOf = (what: (pid: number) => number) => processes.reduce((sum, pid) => sum + what(pid), 0);
  const sockets = await until('connections are closed', () => {
    const count = sumOf(countSockets);
    return count <= (before?.sockets ?? count) && count;
  });
  return { sockets, bytes: sumOf((pid) => residentBytesOf(pid) ?? 0) };
}
