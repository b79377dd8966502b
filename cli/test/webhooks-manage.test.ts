import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL, post } from '../../testkit/src/listings.ts';
import { until } from '../../testkit/src/until.ts';
import { listings, type Settings } from './support/cli.ts';
import { receiverFor } from './support/receiver.ts';
import { newAccount, service } from './support/service.ts';

async function webhooks(settings: Settings, ...args: string[]) {
  const { code, stdout, stderr } = await listings(['webhooks', ...args], settings);
  assert.equal(code, 0, stderr);
  return { stdout, stderr };
}

async function json(settings: Settings, ...args: string[]) {
  return JSON.parse((await webhooks(settings, ...args, '--json')).stdout);
}

describe('webhooks', () => {
  test('creates an endpoint that receives events, and manages its deliveries', async (t) => {
    const { tenant, settings } = await newAccount();
    let secret = '';
    const { url, received } = await receiverFor(t, () => secret);
    const created = await webhooks(settings, 'create', '--url', url, '--description', 'Website');
    const [, id = ''] = /^id\t(whk_\S+)$/m.exec(created.stdout) ?? [];
    [, secret = ''] = /^secret\t(whsec_\S+)$/m.exec(created.stdout) ?? [];
    assert.equal(created.stderr, 'Store the secret now: it will not be shown again.\n');

    assert.equal((await json(settings, 'test', id)).delivered, true);
    await post(service, tenant, MINIMAL);
    await until('the sample and the event arrive', () => received.length === 2);
    await until('it is settled', async () => (await json(settings, 'get', id)).position === 1);
    const [delivery] = await json(settings, 'deliveries', id, '--state', 'delivered', '--limit', '1');
    assert.equal(delivery.id, received[1]?.event.id);
    const { stdout } = await webhooks(settings, 'deliveries', id);
    const listingId = Object(received[1]?.event.data).listingId;
    assert.ok(stdout.startsWith(`${delivery.id}\tdelivered\tlisting.created\t${listingId}\t1\t204\t`), stdout);

    await webhooks(settings, 'redeliver', id, delivery.id);
    await until('the event arrives again', () => received.length === 3);
    await until('it is settled again', async () => (await json(settings, 'get', id)).pending === 0);
    await webhooks(settings, 'replay', id, '--after', '0');
    await until('the event arrives a third time', () => received.length === 4);
    assert.equal(received[3]?.event.id, delivery.id);
  });

  test('lists, changes, and deletes endpoints, and rolls their secrets', async () => {
    const { settings } = await newAccount();
    const url = 'https://example.com/webhooks';
    const args = ['--url', url, '--type', 'listing.created', '--type', 'listing.deleted', '--enabled', 'false'];
    const { id, secret } = await json(settings, 'create', ...args);
    const list = await webhooks(settings, 'list');
    assert.equal(list.stdout, `${id}\t${url}\tlisting.created,listing.deleted\tfalse\t0\t\n`);
    const updated = await json(settings, 'update', id, '--description', 'Portal', '--url', `${url}/2`);
    assert.deepEqual([updated.description, updated.url, updated.secret], ['Portal', `${url}/2`, undefined]);
    assert.deepEqual(await json(settings, 'list'), [updated]);
    const rolled = await json(settings, 'roll-secret', id);
    assert.match(rolled.secret, /^whsec_/);
    assert.notEqual(rolled.secret, secret);
    assert.equal((await webhooks(settings, 'delete', id)).stderr, `Deleted ${id}.\n`);
    assert.deepEqual(await json(settings, 'list'), []);
  });

  test('test exits with 1 if the endpoint does not respond with 2xx', async (t) => {
    const { settings } = await newAccount();
    const { url } = await receiverFor(t, () => '');
    const { id } = await json(settings, 'create', '--url', url);
    const { code, stdout } = await listings(['webhooks', 'test', id, '--json'], settings);
    assert.deepEqual([code, JSON.parse(stdout).status], [1, 400]);
  });

  test('with --curl prints the request, and without a key exits with 4', async () => {
    const { settings } = await newAccount();
    const runs: [args: string[], part: string][] = [
      [['list'], '/v1/webhooks'],
      [['create', '--url', 'https://example.com'], `--data-raw '{"url":"https://example.com"}'`],
      [['get', 'whk_1'], '/v1/webhooks/whk_1'],
      [['update', 'whk_1', '--enabled', 'true'], `--data-raw '{"enabled":true}'`],
      [['delete', 'whk_1'], '-X DELETE'],
      [['roll-secret', 'whk_1'], '/v1/webhooks/whk_1/roll-secret'],
      [['test', 'whk_1'], '/v1/webhooks/whk_1/test'],
      [['replay', 'whk_1', '--after', '7'], `--data-raw '{"after":7}'`],
      [['deliveries', 'whk_1', '--state', 'failed'], '/deliveries?state=failed'],
      [['redeliver', 'whk_1', 'msg_1'], '/deliveries/msg_1/redeliver'],
      [['listen', '--forward-to', 'http://127.0.0.1:9', '--after', '7'], '/v1/events?after=7&wait=25'],
    ];
    for (const [args, part] of runs) {
      const { stdout, stderr } = await webhooks(settings, ...args, '--curl');
      assert.ok(stdout.startsWith('curl ') && stdout.includes(part), stdout);
      assert.equal(stderr, '');
      assert.equal((await listings(['webhooks', ...args], { PROPERTY_LISTINGS_API_KEY: '' })).code, 4);
    }
  });

  test('reports incorrect usage and invalid fields', async () => {
    const { settings } = await newAccount();
    const runs: [args: string[], code: number, words: RegExp][] = [
      [['create'], 2, /--url/],
      [['update', 'whk_1'], 2, /Specify at least one change/],
      [['update', 'whk_1', '--enabled', 'yes'], 2, /must be true or false/],
      [['replay', 'whk_1'], 2, /--after/],
      [['deliveries', 'whk_1', '--state', 'lost'], 2, /pending, delivered, failed, expired/],
      [['create', '--url', 'ftp://example.com'], 1, /Must begin with https/],
      [['get', 'whk_1'], 1, /not_found, 404/],
    ];
    for (const [args, code, words] of runs) {
      const result = await listings(['webhooks', ...args], settings);
      assert.deepEqual([result.code, result.stdout], [code, ''], args.join(' '));
      assert.match(result.stderr, words);
    }
  });
});
