import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { generateSecret } from '../../../server/src/model/api-keys.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { bareEnvironment, REPOSITORY } from '../../../testkit/src/process.ts';
import type { Tenant, TestService } from '../../../testkit/src/service.ts';
import { directoryFor, spawnFor } from '../../../testkit/src/serving.ts';
import { WarmProgram } from '../../../testkit/src/warm-program.ts';

const LISTINGS = join(REPOSITORY, 'cli/bin/listings.js');

export type Settings = Record<string, string>;

/** The environment variables for a service and a tenant's key. */
export function settingsOf({ url }: Pick<TestService, 'url'>, { key }: Tenant): Settings {
  return { PROPERTY_LISTINGS_BASE_URL: `${url}/v1`, PROPERTY_LISTINGS_API_KEY: key };
}

/** Starts a fake service. @returns settings that point to it */
export async function standInFor(t: TestContext, listener: RequestListener): Promise<Settings> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  defer(t, () => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = Object(server.address());
  return { PROPERTY_LISTINGS_BASE_URL: `http://127.0.0.1:${port}/v1`, PROPERTY_LISTINGS_API_KEY: generateSecret() };
}

const program = new WarmProgram(new URL('./warm-program.ts', import.meta.url));

/** Runs `listings` without settings from the test's own environment; `input` is stdin. */
export function listings(args: string[], settings: Settings = {}, input: string | Uint8Array = '') {
  return program.run({ args, env: environment(settings), input });
}

export function start(t: TestContext, args: string[], settings: Settings) {
  return spawnFor(t, process.execPath, [LISTINGS, ...args], environment(settings));
}

/** Runs a shell line that calls `listings`; with `columns`, in a terminal of that width. */
export function shell(t: TestContext, line: string, settings: Settings, columns?: number) {
  const program = `listings() { '${process.execPath}' '${LISTINGS}' "$@"; }`;
  // Without --norc, bash reads ~/.bashrc, because its input is a socket.
  const options = ['--norc', '-c', `${program}; ${line}`];
  if (columns === undefined) return spawnFor(t, 'bash', options, environment(settings));
  const inTerminal = `stty cols ${columns}; ${program}; ${line}`;
  return spawnFor(t, 'script', ['-qfec', inTerminal, '/dev/null'], { ...environment(settings), SHELL: '/bin/bash' });
}

/** Creates an empty configuration directory. */
export async function emptyConfiguration(t: TestContext): Promise<Settings> {
  return { XDG_CONFIG_HOME: await directoryFor(t) };
}

function environment(settings: Settings): Settings {
  return bareEnvironment({ XDG_CONFIG_HOME: '/nonexistent', TERM: 'xterm-256color', ...settings });
}
