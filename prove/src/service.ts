import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { createTenantByCommand, type ServeProcess } from '../../testkit/src/process.ts';
import { serveFor } from '../../testkit/src/serving.ts';
import type { Patch, Trial } from './part.ts';
import { plantedEnvironment } from './plant.ts';

/** The service creates this administrator when it starts. */
export const ADMINISTRATOR = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'correct horse battery staple' };
export const CREDENTIALS = { email: ADMINISTRATOR.ADMIN_EMAIL, password: ADMINISTRATOR.ADMIN_PASSWORD };

/**
 * Returns the settings for a trial's service and commands, which plant the fault. There is no rate limit unless
 * `given` sets one.
 */
export function settingsOf(
  { directory, plantedFault }: Trial,
  given: Record<string, string> = {},
): Record<string, string> {
  return { DATA_DIR: directory, RATE_LIMIT: 'off', ...given, ...plantedEnvironment(plantedFault) };
}

export function serve(trial: Trial, settings: Record<string, string> = {}): Promise<ServeProcess> {
  return serveFor(trial, settingsOf(trial, settings));
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
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' };
  const response = await fetch(`${url}/v1/imports`, { method: 'POST', headers, body: rows.join('\n') });
  const report: unknown = await response.json();
  assert.equal(Object(report).created, rows.length, JSON.stringify(report));
}

/** Reads JSON below `/v1`. */
export async function readJson<T>(url: string, path: string, key: string): Promise<T> {
  const response = await fetch(`${url}/v1${path}`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await response.text();
  assert.equal(response.status, 200, `GET ${path}: ${text}`);
  return JSON.parse(text);
}

/** Counts a process's sockets: its open connections, and a few sockets that are always open. */
export function countSockets({ child }: Pick<ServeProcess, 'child'>): number {
  return countSocketsOf(Number(child.pid));
}

export function countSocketsOf(pid: number): number {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).filter((file) => linkOf(`${directory}/${file}`).startsWith('socket:')).length;
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
