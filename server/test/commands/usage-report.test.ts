import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createPostgresDatabase } from '../../../testkit/src/database.ts';
import { createTenantByCommand, runCommandWarm } from '../../../testkit/src/process.ts';
import { directoryFor, serveFor } from '../../../testkit/src/serving.ts';

const LISTING = '{"address":"12 Elm Street","beds":3,"baths":2}';
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: usage counts each account's listings, changes, bytes, and requests by day`, async (t) => {
    const postgres = engine === 'postgres' ? await createPostgresDatabase() : undefined;
    if (postgres !== undefined) defer(t, () => postgres.drop());
    const settings = { DATA_DIR: await directoryFor(t), DATABASE_URL: postgres?.url ?? '' };
    const { accountId, key } = await createTenantByCommand(settings);
    await runCommandWarm(['accounts', 'create', '--name', '=Other, "Inc"'], settings);
    const { url, end } = await serveFor(t, settings);
    const send = async (method: string, path: string, body?: string) => {
      const headers = { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) };
      const response = await fetch(url + path, { method, headers, ...(body && { body }) });
      const text = await response.text();
      return text === '' ? {} : JSON.parse(text);
    };
    const { id } = await send('POST', '/v1/listings', LISTING);
    const other = await send('POST', '/v1/listings', LISTING);
    await send('PATCH', `/v1/listings/${id}`, '{"beds":4}');
    await send('DELETE', `/v1/listings/${other.id}`);
    await end();
    const run = (...args: string[]) => runCommandWarm(['usage', ...args], settings);
    const from = dayBefore(8);
    const { stdout } = await run('--account', accountId, '--from', from, '--json');
    const days: Record<string, unknown>[] = JSON.parse(stdout);
    assert.equal(days.length, 9);
    const { bytes, ...today } = days.at(-1) ?? {};
    const counts = { listings: 1, created: 2, updated: 1, deleted: 1, requests: 4 };
    assert.deepEqual(today, { accountId, account: 'Ada', day: dayBefore(0), ...counts });
    assert.ok(Number(bytes) > 0);
    const none = { listings: 0, created: 0, updated: 0, deleted: 0, bytes: null };
    assert.deepEqual(days[7], { accountId, account: 'Ada', day: dayBefore(1), ...none, requests: 0 });
    assert.equal(days[0]?.requests, null, 'the request log has seven days');

    const csv = (await run('--from', dayBefore(0), '--csv')).stdout.trimEnd().split('\n');
    assert.equal(csv[0], 'day,accountId,listings,created,updated,deleted,bytes,requests,account');
    assert.equal(csv[1], `${dayBefore(0)},${accountId},1,2,1,1,${bytes},4,"Ada"`);
    assert.match(csv[2] ?? '', /,0,0,0,0,0,0,"'=Other, ""Inc"""$/);
    const off = await runCommandWarm(['usage', '--account', accountId, '--json'], { ...settings, REQUEST_LOG: 'off' });
    assert.equal(JSON.parse(off.stdout).at(-1).requests, null);
    if (engine === 'postgres') return;

    const { DATA_DIR } = settings;
    for (const file of await readdir(DATA_DIR)) if (file.includes('.requests.db')) await rm(join(DATA_DIR, file));
    const again = await serveFor(t, settings);
    await fetch(`${again.url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
    await again.end();
    const removed = await run('--account', accountId, '--json');
    assert.equal(JSON.parse(removed.stdout).at(-1).requests, null, 'the log with the other requests was removed');
  });
}

test('an impossible range is rejected with advice', async (t) => {
  const settings = { DATA_DIR: await directoryFor(t) };
  await createTenantByCommand(settings);
  for (const [args, code, words] of [
    [['--from', dayBefore(31)], 1, /at most 30 days ago/],
    [['--from', dayBefore(1), '--to', dayBefore(2)], 1, /--to must not be before --from/],
    [['--to', dayBefore(-2)], 1, /in the future/],
    [['--from', 'yesterday'], 2, /It must be a date/],
    [['--json', '--csv'], 2, /--csv or --json, not both/],
    [['--account', 'acc_1'], 1, /There is no account acc_1/],
  ] as const) {
    const result = await runCommandWarm(['usage', ...args], settings);
    assert.match(result.stderr, words);
    assert.equal(result.code, code);
  }
});
