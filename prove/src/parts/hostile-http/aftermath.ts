import assert from 'node:assert/strict';
import { residentBytesOf } from '../../../../bench/src/process-stats.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { hasEnded } from '../../../../testkit/src/serving.ts';
import { untilStill } from '../../../../testkit/src/still.ts';
import { until } from '../../../../testkit/src/until.ts';
import { workersOf } from '../../../../testkit/src/workers.ts';
import { countSocketsOf } from '../../sockets.ts';
import { describeAttempt, FOLLOWER, type Trace } from './attempts.ts';
import { SMUGGLED } from './streams.ts';

/** What the log has shown: the number of requests by id. */
export interface Told {
  requests: Map<unknown, number>;
  /** Lines that no client must be able to cause. */
  faults: Record<string, unknown>[];
}

export function readLog({ log }: ServeProcess, { requests, faults }: Told): void {
  for (const line of log.splice(0)) {
    if (line.msg === 'request') requests.set(line.requestId, (requests.get(line.requestId) ?? 0) + 1);
    if (Number(line.level) > 30 || Number(line.status) >= 500) faults.push(line);
  }
}

export async function assertAftermath(
  service: ServeProcess,
  key: string,
  traces: readonly Trace[],
  told: Told,
): Promise<void> {
  assert.ok(!hasEnded(service.child), `the service has ended: ${service.stderr()}`);
  const id = `aftermath-${traces.length}`;
  const addresses = await readAddresses(service.url, key, id);
  await until('the log is written', () => {
    readLog(service, told);
    return told.requests.has(id);
  });
  // Other processes may be later.
  await untilStill('no more is logged', () => {
    readLog(service, told);
    return told.requests.size;
  });
  assert.deepEqual(told.faults.slice(0, 3), [], 'errors in the log');
  assert.equal(told.requests.get(SMUGGLED), undefined, 'requests that were hidden in others and were done');
  for (const {
    mark,
    requests: [least, most],
    attempt,
  } of traces) {
    const count = told.requests.get(mark) ?? 0;
    assert.ok(least <= count && count <= most, `${describeAttempt(attempt)} made ${count} requests`);
    const isFollowed = told.requests.has(FOLLOWER + mark);
    assert.ok(
      !isFollowed || attempt.stream.next(attempt.target) !== 'not done',
      `${describeAttempt(attempt)}: what stood behind was done`,
    );
  }
  assert.ok(!addresses.includes(SMUGGLED), 'a request that was hidden in another has created a listing');
  const created = new Set(addresses);
  assert.equal(created.size, addresses.length, 'no request has created two listings');
  for (const { mark, isCreated, attempt } of traces)
    assert.equal(created.has(mark), isCreated ?? created.has(mark), `the listing of ${describeAttempt(attempt)}`);
  const others = addresses.filter((address) => !address.startsWith('mark-'));
  assert.deepEqual(others, [], 'listings whose requests were cut');
}

async function readAddresses(url: string, key: string, id: string): Promise<string[]> {
  const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': id };
  const response = await fetch(`${url}/v1/listings?fields=address`, { headers });
  assert.equal(response.status, 200);
  const { data }: { data: { address: string }[] } = JSON.parse(await response.text());
  return data.map(({ address }) => address);
}

export interface Held {
  sockets: number;
  bytes: number;
}

/** Measured once there are no more connections than before. */
export async function readHeld(service: ServeProcess, before?: Held): Promise<Held> {
  const processes = [Number(service.child.pid), ...(await workersOf(service))];
  const sumOf = (what: (pid: number) => number) => processes.reduce((sum, pid) => sum + what(pid), 0);
  const sockets = await until('its connections are closed', () => {
    const count = sumOf(countSocketsOf);
    return count <= (before?.sockets ?? count) && count;
  });
  return { sockets, bytes: sumOf((pid) => residentBytesOf(pid) ?? 0) };
}
