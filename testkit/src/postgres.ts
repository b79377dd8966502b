import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findFreePort, isRefused } from './ports.ts';
import { initialize, killAll, launch, type Programs, stop } from './postgres-programs.ts';
import { until } from './until.ts';

const PASSWORD = 'password';
/** With this collation, strings sort differently than in SQLite, unless tables set their own collation. */
const INITDB_FLAGS = ['--no-sync', '--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en'];
/** Faster settings, because test data need not survive a crash. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'max_connections=300', 'unix_socket_directories='];

/** How to stop a server: `pg_ctl -m fast` or `-m immediate`, a signal, or SIGKILL to all its processes. */
export type Halt = 'fast' | 'immediate' | 'SIGQUIT' | 'SIGKILL';

export interface PostgresServer {
  url: string;
  directory: string;
  /** Stops the server in this way. Resolves when the server has exited. */
  halt(how: Halt): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Overrides the tests' defaults. */
interface OwnServer {
  directory?: string;
  flags?: readonly string[];
  programs?: Programs;
}

export async function createPostgresServer(
  settings: readonly string[] = SETTINGS,
  onLog?: (text: string) => void,
  { directory = newDirectory(), flags = INITDB_FLAGS, programs }: OwnServer = {},
): Promise<PostgresServer> {
  await initialize(directory, PASSWORD, flags, programs);
  return startOn(directory, settings, onLog, programs);
}

export function newDirectory(): string {
  return join(tmpdir(), `property-listings-postgres-${randomBytes(6).toString('hex')}`);
}

/** Starts a server on a data directory, which is removed when the server stops or this process exits. */
export async function startOn(
  directory: string,
  settings: readonly string[],
  onLog?: (text: string) => void,
  programs?: Programs,
): Promise<PostgresServer> {
  const port = await findFreePort();
  let server = await launch(directory, port, settings, onLog, programs).catch((error: unknown) => {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  });
  const isGone = () => server.exitCode !== null || server.signalCode !== null;
  const end = async (kill: () => unknown): Promise<void> => {
    if (isGone()) return;
    server.ref();
    const ended = once(server, 'exit');
    await kill();
    await ended;
  };
  // Kill the server when this process exits, even if `stop` was not called.
  const leave = () => {
    server.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', leave);
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    directory,
    async halt(how) {
      if (how === 'SIGKILL') await end(() => killAll(server));
      else if (how === 'SIGQUIT') await end(() => server.kill(how));
      else await end(() => stop(directory, how, programs));
      await until('the server is gone', () => isRefused(port));
    },
    async start() {
      // After SIGKILL, the processes and their shared memory remain for a moment, so try repeatedly.
      await until('the server has started', async () => {
        const started = await launch(directory, port, settings, onLog, programs).catch(() => undefined);
        server = started ?? server;
        return started !== undefined;
      });
    },
    async stop() {
      await end(() => server.kill('SIGINT'));
      await rm(directory, { recursive: true, force: true });
      process.off('exit', leave);
    },
  };
}

let shared: Promise<string> | undefined;

/** The URL of the server that tests share: `TEST_POSTGRES_URL`, or else a server that this process starts. */
export function startPostgres(): Promise<string> {
  const { TEST_POSTGRES_URL: given } = process.env;
  shared ??= given ? Promise.resolve(given) : createPostgresServer().then(({ url }) => url);
  return shared;
}
