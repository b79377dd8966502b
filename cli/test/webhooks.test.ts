import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { MINIMAL, post, send } from '../../testkit/src/listings.ts';
import { findFreePort } from '../../testkit/src/ports.ts';
import type { Tenant } from '../../testkit/src/service.ts';
import { until } from '../../testkit/src/until.ts';
import { listings, type Settings, shell, start } from './support/cli.ts';
import { receiverFor } from './support/receiver.ts';
import { newAccount, service } from './support/service.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

async function createMany(tenant: Tenant, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const listing = await (await post(service, tenant, MINIMAL)).json();
    ids.push(String(Object(listing).id));
  }
  return ids;
}

/** Starts `webhooks listen`, and waits until it follows the events. */
async function listen(t: TestContext, settings: Settings, ...args: string[]) {
  const running = start(t, ['webhooks', 'listen', ...args], settings);
  await until('the command listens', () => running.output.stderr.includes('Press Ctrl-C to stop.'));
  const lines = () => running.output.stdout.split('\n').slice(0, -1);
  return { ...running, lines };
}

describe('webhooks listen', () => {
  test('delivers each new change, signed with the printed secret, and prints a line for it', async (t) => {
    const { tenant, settings } = await newAccount();
    await createMany(tenant, 1);
    let secret = '';
    const { url, received } = await receiverFor(t, () => secret);
    const { output, lines } = await listen(t, settings, '--forward-to', url);
    [, secret = ''] = /^Signing secret: (whsec_\S+)$/m.exec(output.stderr) ?? [];
    assert.match(output.stderr, new RegExp(`Delivering changes after sequence 1 to ${url}\\.`));

    const [id = ''] = await createMany(tenant, 1);
    await send(service, tenant, 'PATCH', `/listings/${id}`, { beds: 4 }, { 'Content-Type': 'application/json' });
    await send(service, tenant, 'DELETE', `/listings/${id}`);
    await until('all lines are printed', () => lines().length === 3);
    const { data: events, epoch } = Object(await (await service.fetch(tenant, '/v1/events?after=1')).json());
    for (const [index, data] of events.entries()) {
      const message = { type: data.type, timestamp: data.createdAt, data, accountId: tenant.accountId, epoch };
      assert.equal(received[index]?.body, JSON.stringify(message));
      assert.equal(received[index]?.event.id, `msg_${epoch}_${data.sequence}`);
      const [time = '', ...columns] = lines()[index]?.split('\t') ?? [];
      assert.ok(Date.parse(time) > 0, time);
      assert.deepEqual(columns.slice(0, 3), [data.type, id, '204']);
      assert.match(columns[3] ?? '', /^\d+ ms$/);
    }
  });

  test('uses the same secret in each run with the same API key, and it is not part of the key', async (t) => {
    const secrets: string[] = [];
    for (const { settings, tenant } of [await newAccount(), await newAccount()]) {
      for (let run = 0; run < 2; run += 1) {
        const { output } = await listen(t, settings, '--forward-to', 'http://127.0.0.1:9');
        secrets.push(/whsec_\S+/.exec(output.stderr)?.[0] ?? '');
        assert.ok(!output.stderr.includes(tenant.key));
      }
    }
    assert.equal(new Set(secrets).size, 2);
    assert.equal(secrets[0], secrets[1]);
  });

  test('delivers the changes of a listing in order, without delaying those of other listings', async (t) => {
    const { tenant, settings } = await newAccount();
    const [slow = '', other = ''] = await createMany(tenant, 2);
    const { promise: released, resolve: release } = Promise.withResolvers<number>();
    const isSlow = (data: object) => Object(data).listingId === slow;
    const { url, received } = await receiverFor(
      t,
      () => SECRET,
      ({ data }) => (isSlow(data) && Object(data).sequence === 3 ? released : 204),
    );
    const args = ['--secret', SECRET, '--forward-to', url, '--after', '2'];
    const { output, closed, child } = await listen(t, settings, ...args);
    for (const id of [slow, slow, other]) {
      await send(service, tenant, 'PATCH', `/listings/${id}`, { yearBuilt: 1990 + received.length });
    }
    await send(service, tenant, 'PATCH', `/listings/${slow}`, { yearBuilt: 2020 });
    await send(service, tenant, 'PATCH', `/listings/${other}`, { yearBuilt: 2020 });
    const sequences = () => received.map(({ event }) => Object(event.data).sequence);
    await until('the other listing has its last change', () => sequences().at(-1) > 4);
    assert.equal(received.filter(({ event }) => isSlow(event.data)).length, 1);
    release(204);
    await until(
      'the slow listing has its last change',
      () => received.filter(({ event }) => isSlow(event.data)).length >= 2,
    );
    const slowSequences = received
      .filter(({ event }) => isSlow(event.data))
      .map(({ event }) => Object(event.data).sequence);
    assert.deepEqual(
      slowSequences,
      slowSequences.toSorted((left, right) => left - right),
    );
    child.kill('SIGINT');
    assert.equal(await closed, 130);
    assert.match(output.stderr, /\nTo resume: listings webhooks listen /);
  });

  test('retries while the program is down or fails, with the same ID, and then gives up', async (t) => {
    const { tenant, settings } = await newAccount();
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/hooks`;
    const { lines } = await listen(t, settings, '--secret', SECRET, '--forward-to', url, '--after', '0');
    await createMany(tenant, 1);
    await until('the first attempt failed', () => lines().length === 1);
    assert.match(lines()[0] ?? '', /\tconnection refused\t\d+ ms\tretry in 1 s$/);
    const { received } = await receiverFor(
      t,
      () => SECRET,
      (_event, count) => (count === 1 ? 500 : 204),
      port,
    );
    await until('it is delivered', () => lines().length === 3);
    assert.match(lines()[1] ?? '', /\t500\t\d+ ms\tretry in 2 s$/);
    assert.match(lines()[2] ?? '', /\t204\t\d+ ms$/);
    assert.equal(received[0]?.event.id, received[1]?.event.id);
  });

  test('follows no redirect, and goes on after a failed delivery', async (t) => {
    const { tenant, settings } = await newAccount();
    const { url, received } = await receiverFor(
      t,
      () => SECRET,
      (_event, count) => (count === 1 ? 307 : 204),
    );
    const args = ['--secret', SECRET, '--forward-to', url, '--after', '0', '--retries', '0', '--json'];
    const { lines } = await listen(t, settings, ...args);
    const ids = await createMany(tenant, 2);
    await until('both are settled', () => lines().length === 2);
    const shown = lines().map((line) => JSON.parse(line));
    assert.deepEqual(new Set(shown.map(({ status, next }) => `${status} ${next}`)), new Set(['307 gave up', '204 ']));
    assert.deepEqual(new Set(shown.map(({ listingId }) => listingId)), new Set(ids));
    assert.deepEqual(Object.keys(shown[0]), ['time', 'id', 'type', 'listingId', 'status', 'durationMs', 'next']);
    assert.equal(received.length, 2);
  });

  test('delivers only the given types, and after Ctrl-C resumes with the first change that is not settled', async (t) => {
    const { tenant, settings } = await newAccount();
    const { url, received } = await receiverFor(t, () => SECRET);
    const line = `listings webhooks listen --secret ${SECRET} --forward-to ${url} --type listing.deleted,listing.updated`;
    const following = shell(t, `${line} --after 0`, settings, 200);
    await until('the command listens', () => following.output.stdout.includes('Press Ctrl-C to stop.'));
    const [id = ''] = await createMany(tenant, 1);
    await send(service, tenant, 'DELETE', `/listings/${id}`);
    await until('the delivery is printed', () => following.output.stdout.includes('204'));
    assert.match(
      following.output.stdout,
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d  listing\\.deleted  ${id}  .*204.*  \\d+ ms\\s*$`, 'm'),
    );
    following.child.stdin.write('\x03');
    assert.equal(await following.closed, 130);
    const [, command = '', resume = ''] = /To resume: (listings (.*))\r/.exec(following.output.stdout) ?? [];
    assert.match(resume, /--type listing\.deleted,listing\.updated --after 2 --epoch \w{8}$/);
    assert.equal(received.length, 1);

    const [next = ''] = await createMany(tenant, 1);
    await send(service, tenant, 'DELETE', `/listings/${next}`);
    // Do not use a shell, whose child would outlive the test.
    start(t, command.replaceAll("'", '').split(' ').slice(1), settings);
    await until('it resumes', () => received.length === 2);
    assert.equal(Object(received[1]?.event.data).listingId, next);
  });

  test('says how to continue when the sequence belongs to another database', async () => {
    const { settings } = await newAccount();
    const args = ['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9', '--after', '9'];
    const { code, stdout, stderr } = await listings(args, settings);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /events_expired, 410\)\nTo follow changes again, /);
  });

  test('fails if the database no longer has the given epoch, with and without --after', async () => {
    const { settings } = await newAccount();
    const args = ['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9', '--epoch', '00000000'];
    for (const more of [[], ['--after', '0']]) {
      const { code, stderr } = await listings([...args, ...more], settings);
      assert.equal(code, 1);
      assert.match(stderr, /events_expired, 410\)/);
    }
  });
});

describe('webhooks trigger', () => {
  test('sends a signed sample of each type, each with an ID of its own', async (t) => {
    const { url, received } = await receiverFor(t, () => SECRET);
    const types = ['listing.created', 'listing.updated', 'listing.deleted', 'webhook.test'];
    for (const type of types) {
      const args = ['webhooks', 'trigger', type, '--secret', SECRET, '--forward-to', url];
      const { code, stdout, stderr } = await listings(args);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, new RegExp(`^\\S+Z\\t${type}\\t(lst_0{26})?\\t204\\t\\d+ ms\\n$`));
    }
    assert.deepEqual(
      received.map(({ event }) => event.type),
      types,
    );
    assert.equal(new Set(received.map(({ event }) => event.id)).size, types.length);
  });

  test('uses the secret of webhooks listen by default', async (t) => {
    const { settings } = await newAccount();
    const { output } = await listen(t, settings, '--forward-to', 'http://127.0.0.1:9');
    const { url, received } = await receiverFor(t, () => /whsec_\S+/.exec(output.stderr)?.[0] ?? '');
    const { code } = await listings(['webhooks', 'trigger', 'listing.created', '--forward-to', url], settings);
    assert.deepEqual([code, received.length], [0, 1]);
  });

  test('exits with 1 if the program is down or rejects the webhook', async (t) => {
    const { url } = await receiverFor(t, () => `whsec_${randomBytes(32).toString('base64')}`);
    const free = `http://127.0.0.1:${await findFreePort()}`;
    const runs: [url: string, status: number | string][] = [
      [url, 400],
      [free, 'connection refused'],
    ];
    for (const [to, status] of runs) {
      const args = ['webhooks', 'trigger', 'listing.updated', '--secret', SECRET, '--forward-to', to, '--json'];
      const { code, stdout } = await listings(args);
      assert.deepEqual([code, JSON.parse(stdout).status], [1, status]);
    }
  });

  test('needs no API key with --secret, and exits with 4 without either', async () => {
    const { code, stderr } = await listings(['webhooks', 'trigger', 'listing.updated']);
    assert.equal(code, 4);
    assert.match(stderr, /An API key is required/);
  });
});

describe('incorrect usage of webhooks', () => {
  const TO = ['--forward-to', 'http://127.0.0.1:9'];
  const RUNS: [args: string[], words: RegExp][] = [
    [['listen'], /--forward-to/],
    [['listen', '--forward-to', 'localhost:3000'], /must be a URL such as http:\/\/localhost:3000\/hooks/],
    [['listen', '--forward-to', 'http://ada:secret@localhost'], /without a user or password/],
    [['listen', ...TO, '--type', 'listing.sold'], /listing\.created, listing\.updated, listing\.deleted/],
    [['listen', ...TO, '--after', 'x'], /whole number, at least 0/],
    [['listen', ...TO, '--secret', 'whsec_short'], /--secret: A secret must start with whsec_/],
    [['trigger'], /missing required argument 'type'/],
    [['trigger', 'listing.sold'], /listing\.created, listing\.updated, listing\.deleted, webhook\.test/],
    [['trigger', 'listing.created', '--secret', SECRET.slice(0, 20)], /--secret: A secret must start with whsec_/],
  ];

  test('exits with 2 and says what to do, without the secret', async () => {
    for (const [args, words] of RUNS) {
      const { code, stdout, stderr } = await listings(['webhooks', ...args]);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, words);
      assert.ok(!stderr.includes(SECRET.slice(6, 20)), stderr);
    }
  });
});
