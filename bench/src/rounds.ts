import { streamList } from './complete-list.ts';
import type { Exchange } from './connection.ts';
import { drive } from './driver.ts';
import { type ListCheck, sameBytes } from './list-checks.ts';
import { type Busy, residentBytesOf, watchBusy } from './process-stats.ts';
import type { Server } from './processes.ts';
import type { Recording } from './recordings.ts';
import type { Scenario } from './scenario-kinds.ts';

/** The measurement of one server in one round. */
export type Measured = {
  /** Requests per second; for a complete list, listings per second. */
  perSecond: number;
  p50Ms?: number | undefined;
  p99Ms?: number | undefined;
  firstByteMs?: number | undefined;
  memoryGrowthBytes?: number | undefined;
  busy: Busy;
};

type Side = 'service' | 'bare';
export type Servers = Record<Side, Server>;
export type Round = Record<Side, Measured>;

export const CONNECTIONS = 32;
const WARM_UP_SECONDS = 0.5;

/** Measures both servers one right after the other, so that slow phases of the machine affect both. */
export async function measureScenario(scenario: Scenario, servers: Servers, seconds: number): Promise<Round> {
  return {
    service: await measureLoad(servers.service, scenario.service(servers.service.port), seconds),
    bare: await measureLoad(servers.bare, scenario.bare(servers.bare.port), seconds),
  };
}

export async function measureLoad(
  { port, pid, cores }: Server,
  next: () => Exchange,
  seconds: number,
  connections = CONNECTIONS,
): Promise<Measured> {
  await drive({ port, connections, next, seconds: WARM_UP_SECONDS });
  const endWatch = watchBusy(pid, cores);
  const { requestsPerSecond, p50Ms, p99Ms } = await drive({ port, connections, next, seconds });
  return { perSecond: requestsPerSecond, p50Ms, p99Ms, busy: endWatch() };
}

/** Like `measureScenario`, but for an account's complete list, which is read through one connection. */
export async function measureCompleteList(
  recording: Recording,
  rows: number,
  servers: Servers,
  seconds: number,
): Promise<Round> {
  const key = recording.call.key ?? '';
  const check = (): ListCheck => sameBytes(recording.reply.body);
  return {
    service: await measureStream(servers.service, key, rows, check, seconds),
    bare: await measureStream(servers.bare, key, rows, check, seconds),
  };
}

/**
 * Reads the complete list at least twice. The first time is the warm-up. The time to the first byte and the
 * memory growth include the warm-up, because their targets apply to every list.
 */
export async function measureStream(
  { port, pid, cores }: Server,
  key: string,
  rows: number,
  check: () => ListCheck,
  seconds: number,
  path?: string,
): Promise<Measured> {
  const memoryBefore = residentBytesOf(pid) ?? Number.NaN;
  const streams = [await streamList(port, pid, key, check(), path)];
  const endWatch = watchBusy(pid, cores);
  const endsAt = performance.now() + seconds * 1000;
  do streams.push(await streamList(port, pid, key, check(), path));
  while (performance.now() < endsAt);
  const busy = endWatch();
  const [, ...measured] = streams;
  return {
    perSecond: (rows * measured.length) / measured.reduce((sum, stream) => sum + stream.seconds, 0),
    firstByteMs: Math.max(...streams.map((stream) => stream.firstByteMs)),
    memoryGrowthBytes: Math.max(...streams.map((stream) => stream.memoryPeakBytes)) - memoryBefore,
    busy,
  };
}
