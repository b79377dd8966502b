import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from './place.ts';
import { run, type Server, startServer } from './processes.ts';
import { sendCall } from './requests.ts';
import { median } from './statistics.ts';

export type Account = { key: string };

/** A running service whose `/readyz` returns 200. */
export type Service = Server & { readyMs: number };

const PROGRAM = join(import.meta.dirname, '../../server/bin/property-listings.js');
const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 2;
const STARTS = 3;

/** Starts the service on the run's database. @throws if it is not ready within a minute */
export async function startService(place: Place): Promise<Service> {
  const { directory, cores } = place;
  const startedAt = performance.now();
  const server = await startServer(
    {
      args: [PROGRAM, 'serve'],
      env: environment(place),
    },
    cores,
    join(directory, 'service.log'),
  );
  while (performance.now() - startedAt < READY_TIMEOUT_MS) {
    // While the service is still opening its database, another listener responds, and then closes.
    const reply = await sendCall(server.port, { method: 'GET', path: '/readyz' }).catch(() => undefined);
    const readyMs = performance.now() - startedAt;
    if (reply?.status === 200) return { ...server, readyMs };
    await sleep(POLL_MS);
  }
  throw new Error('The service listens, but does not become ready');
}

/**
 * Starts the service several times.
 * @returns the last service that was started, and the median time from start to ready
 */
export async function restartService(place: Place): Promise<{ service: Service; readyMs: number }> {
  const times: number[] = [];
  for (;;) {
    const service = await startService(place);
    times.push(service.readyMs);
    if (times.length === STARTS) return { service, readyMs: median(times) };
    await service.stop();
  }
}

/** Creates accounts with one key each, through the operator's commands. */
export async function createAccounts(place: Place, count: number): Promise<Account[]> {
  // Wait for the first command, which creates the database.
  const accounts = [await createAccount(place, 'Bench 1')];
  let started = 1;
  const createRest = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      accounts.push(await createAccount(place, `Bench ${started}`));
    }
  };
  // Starting processes takes most of the time, so run two commands at a time, which use both cores.
  await Promise.all([createRest(), createRest()]);
  return accounts;
}

export async function createAccount(place: Place, name: string): Promise<Account> {
  const { directory, cores } = place;
  // Compilation takes most of a command's time, so commands share a compile cache. The service does not use
  // one, because its startup is measured.
  const env = { ...environment(place), NODE_COMPILE_CACHE: join(directory, 'compile-cache') };
  const create = async (member: string, ...args: string[]): Promise<string> => {
    const command = { args: [PROGRAM, ...args, '--json'], env, cores: cores?.all };
    return readText(await run(command), member);
  };
  const id = await create('id', 'accounts', 'create', '--name', name);
  const key = await create('key', 'keys', 'create', '--account', id, '--name', 'bench');
  return { key };
}

function environment({ directory, databaseUrl = '', workers, settings }: Place): Record<string, string> {
  const database = { DATA_DIR: join(directory, 'data'), DATABASE_URL: databaseUrl };
  const common = { HOST: '127.0.0.1', WORKERS: String(workers ?? ''), LOG_LEVEL: 'info', RATE_LIMIT: 'off' };
  return { ...common, ...database, ...settings };
}

function readText(json: string, member: string): string {
  const value: unknown = JSON.parse(json);
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined;
  if (typeof text !== 'string') throw new Error(`no "${member}" in ${json}`);
  return text;
}
