import assert from 'node:assert/strict';
import { createTenantByCommand, type ServeProcess } from '../../testkit/src/process.ts';
import { serveFor } from '../../testkit/src/serving.ts';
import type { Patch, Trial } from './part.ts';
import { plantedEnvironment } from './plant.ts';

/** What a trial's service and commands get: no limit of requests, and the planted fault. */
export function settingsOf(
  { directory, plantedFault }: Trial,
  given: Record<string, string> = {},
): Record<string, string> {
  return { DATA_DIR: directory, RATE_LIMIT: 'off', ...given, ...plantedEnvironment(plantedFault) };
}

export function serve(trial: Trial, settings: Record<string, string> = {}): Promise<ServeProcess> {
  return serveFor(trial, settingsOf(trial, settings));
}

/** The trial with these changes to the service, in addition to the planted fault. */
export function withPatches(trial: Trial, patches: readonly Patch[]): Trial {
  const { what = '', foundBy = '', patches: planted = [] } = trial.plantedFault ?? {};
  return { ...trial, plantedFault: { what, foundBy, patches: [...patches, ...planted] } };
}

/** Without the planted fault. */
export function createTenant(trial: Trial, settings: Record<string, string> = {}) {
  return createTenantByCommand(settingsOf({ ...trial, plantedFault: undefined }, settings));
}

/** Imports new listings, one JSON line each. */
export async function importRows(url: string, key: string, rows: readonly string[]): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' };
  const response = await fetch(`${url}/v1/imports`, { method: 'POST', headers, body: rows.join('\n') });
  const report: unknown = await response.json();
  assert.equal(Object(report).created, rows.length, JSON.stringify(report));
}
