import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPostgresDatabase } from '../support/database.ts';
import { createTenantByCommand } from '../support/process.ts';
import { directoryFor, serveFor } from '../support/serving.ts';

test('what a key may send is counted together by services that share nothing but the database', async (t) => {
  const { url, drop } = await createPostgresDatabase();
  t.after(drop);
  const settings = { DATA_DIR: await directoryFor(t), DATABASE_URL: url, RATE_LIMIT: '6/1h' };
  const { key } = await createTenantByCommand(settings);
  const services = await Promise.all([serveFor(t, settings), serveFor(t, settings)]);
  const statuses: number[] = [];
  const left: (string | null)[] = [];
  for (let index = 0; index < 8; index += 1) {
    const service = services[index % 2];
    const response = await fetch(`${service?.url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
    statuses.push(response.status);
    left.push(/;r=(\d+);/.exec(response.headers.get('ratelimit') ?? '')?.[1] ?? null);
    await response.text();
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429, 429]);
  assert.deepEqual(left, ['5', '4', '3', '2', '1', '0', '0', '0']);
});
