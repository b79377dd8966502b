import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { type Cleanup, defer } from '../../testkit/src/cleanup.ts';
import { NDJSON } from '../../testkit/src/imports.ts';
import type { Told } from '../../testkit/src/openapi.ts';
import { createPostgresServer, type PostgresServer } from '../../testkit/src/postgres.ts';
import { createTenantByCommand, environment, type ServeProcess, SOURCE_PROGRAM } from '../../testkit/src/process.ts';
import { serveFor, spawnFor } from '../../testkit/src/serving.ts';
import type { Patch, Trial } from './part.ts';
import { plantedEnvironment } from './plant.ts';

/** The service creates this administrator when it starts. */
export const ADMINISTRATOR = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'correct horse battery staple' };
export const CREDENTIALS = { email: ADMINISTRATOR.ADMIN_EMAIL, password: ADMINISTRATOR.ADMIN_PASSWORD };

/** Settings that also plant the trial's fault. There is no rate limit unless `given` sets one. */
export function settingsOf(
  { directory, plantedFault }: Trial,
  given: Record<string, string> = {},
): Record<string, string> {
  return { DATA_DIR: directory, RATE_LIMIT: 'off', ...given, ...plantedEnvironment(plantedFault) };
}

export function serve(trial: Trial, settings: Record<string, string> = {}): Promise<ServeProcess> {
  return serveFor(trial, settingsOf(trial, settings));
}

/** Starts the service, which may fail, as the user `owner` if given. */
export function spawnServe(
  trial: Trial,
  settings: Record<string, string>,
  cwd?: string,
  owner?: { uid: number; gid: number },
) {
  const env = environment(settingsOf(trial, { PORT: '0', ...settings }));
  return spawnFor(trial, process.execPath, [SOURCE_PROGRAM, 'serve'], env, cwd, owner);
}

export async function postgresFor(
  t: Cleanup,
  ...given: Parameters<typeof createPostgresServer>
): Promise<PostgresServer> {
  const server = await createPostgresServer(...given);
  defer(t, () => server.stop());
  return server;
}

/** Returns the trial with these patches in addition to those of the planted fault. */
export function withPatches(trial: Trial, patches: readonly Patch[]): Trial {
  const fault = trial.plantedFault ?? { what: '', foundBy: '' };
  return { ...trial, plantedFault: { ...fault, patches: [...patches, ...(fault.patches ?? [])] } };
}

/** Creates an account and a key, without the planted fault. */
export function createTenant(trial: Trial, settings: Record<string, string> = {}) {
  return createTenantByCommand(settingsOf({ ...trial, plantedFault: undefined }, settings));
}

/** Imports new listings. Each row is a JSON line. */
export async function importRows(url: string, key: string, rows: readonly string[]): Promise<void> {
  const { text } = await send(url, key, 'POST', '/imports', rows.join('\n'), { 'Content-Type': NDJSON });
  assert.equal(JSON.parse(text).created, rows.length, text);
}

/** Reads JSON below `/v1`. */
export async function readJson<T>(url: string, path: string, key: string): Promise<T> {
  const { status, text } = await send(url, key, 'GET', path);
  assert.equal(status, 200, `GET ${path}: ${text}`);
  return JSON.parse(text);
}

/** Sends a request to a path below `/v1`. A body that is not a string is sent as JSON. */
export async function send(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  given: Record<string, string> = {},
): Promise<Told> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...given };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readTold(await fetch(`${url}/v1${path}`, { method, headers, body: text ?? null }));
}

export async function readTold(response: Response): Promise<Told> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Counts a process's sockets: its open connections, and a few sockets that are always open. */
export function countSockets(pid: number | undefined): number {
  const files = readdirSync(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`);
  return files.filter((file) => statSync(file, { throwIfNoEntry: false })?.isSocket()).length;
}
