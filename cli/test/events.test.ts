import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL, post } from '../../testkit/src/listings.ts';
import type { Tenant } from '../../testkit/src/service.ts';
import { until } from '../../testkit/src/until.ts';
import { listings, shell, standInFor } from './support/cli.ts';
import { newAccount, service } from './support/service.ts';

async function createMany(tenant: Tenant, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await post(service, tenant, MINIMAL);
}

function sequencesOf(text: string): number[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line).sequence);
}

describe('events', () => {
  test('prints all available events, or those after a sequence', async () => {
    const { tenant, settings } = await newAccount();
    await createMany(tenant, 3);
    const all = await listings(['events'], settings);
    assert.deepEqual([all.code, sequencesOf(all.stdout)], [0, [1, 2, 3]]);
    const later = await listings(['events', '--after', '2'], settings);
    assert.deepEqual(sequencesOf(later.stdout), [3]);
  });

  test('reads all pages from the same database', async (t) => {
    const pages: Record<string, object> = {
      '/v1/events?after=0&limit=1000': { data: [{ sequence: 1 }], nextAfter: 1, epoch: 'aaaaaaaa' },
      '/v1/events?after=1&limit=1000&epoch=aaaaaaaa': { data: [], nextAfter: 1, epoch: 'aaaaaaaa' },
    };
    const settings = await standInFor(t, ({ url = '' }, response) => {
      response.writeHead(url in pages ? 200 : 410, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(pages[url] ?? { error: { code: 'events_expired', message: url } }));
    });
    const { code, stdout, stderr } = await listings(['events'], settings);
    assert.deepEqual([code, stdout], [0, '{"sequence":1}\n'], stderr);
  });

  test('--follow prints new events, and --after resumes', async (t) => {
    const { tenant, settings } = await newAccount();
    await createMany(tenant, 2);
    const following = shell(t, 'listings events --follow', settings, 100);
    await until('the command waits', () => following.output.stdout.includes('Waiting for changes after sequence 2'));
    await createMany(tenant, 1);
    await until('the event is printed', () => following.output.stdout.includes('"sequence":3'));
    following.child.stdin.write('\x03');
    assert.equal(await following.closed, 130);
    assert.match(following.output.stdout, /To resume: listings events --follow --after 3 --epoch \w{8}/);
    await createMany(tenant, 2);
    const resumed = shell(t, 'listings events --follow --after 3 | head -n 2', settings);
    // The command notices only at its next write that `head` has closed the pipe.
    await until('both events are printed', () => sequencesOf(resumed.output.stdout).length === 2);
    await createMany(tenant, 1);
    assert.equal(await resumed.closed, 0);
    assert.deepEqual([sequencesOf(resumed.output.stdout), resumed.output.stderr], [[4, 5], '']);
  });

  test('says how to continue when the sequence belongs to another database, and only then', async () => {
    const { tenant, settings } = await newAccount();
    const { id } = Object(await (await post(service, tenant, MINIMAL)).json());
    const following = await listings(['events', '--after', '9'], settings);
    assert.equal(following.code, 1);
    assert.match(following.stderr, /events_expired, 410\)\nTo follow changes again, run "listings export"/);
    const args = ['create', '--url', 'https://example.com/webhooks', '--enabled', 'false', '--json'];
    const webhook = JSON.parse((await listings(['webhooks', ...args], settings)).stdout);
    for (const args of [
      ['get', id, '--at', '9'],
      ['webhooks', 'replay', webhook.id, '--after', '9'],
    ]) {
      const { code, stderr } = await listings(args, settings);
      assert.equal(code, 1);
      assert.match(stderr, /events_expired, 410\)\nrequest id: /);
    }
  });
});
