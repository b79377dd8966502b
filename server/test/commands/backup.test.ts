import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTenantByCommand, runCommand } from '../support/process.ts';
import { directoryFor, serveFor } from '../support/serving.ts';

// Backups of a service under load are tried by `backups` of the proof.

test('the epoch can be renewed while the service runs', async (t) => {
  const settings = { DATA_DIR: await directoryFor(t), RATE_LIMIT: 'off' };
  const { key } = await createTenantByCommand(settings);
  const { url } = await serveFor(t, settings);
  const readEpoch = async (): Promise<string> => {
    const response = await fetch(`${url}/v1/events`, { headers: { Authorization: `Bearer ${key}` } });
    return JSON.parse(await response.text()).epoch;
  };
  const epoch = await readEpoch();
  const { stdout } = await runCommand(['renew-epoch', '--json'], settings);
  const renewed = await readEpoch();
  assert.equal(renewed, JSON.parse(stdout).epoch);
  assert.notEqual(renewed, epoch);
});
