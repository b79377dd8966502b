import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { mock, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { createPerson } from '../../../testkit/src/browser.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createDatabase } from '../../../testkit/src/database.ts';
import { startSharedService, startTestService } from '../../../testkit/src/service.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { resumeAccount, suspendAccount } from '../../src/domain/accounts/account-limits.ts';
import { EVENTS_KEPT_DAYS, purgeEvents } from '../../src/domain/events/event-purge.ts';
import { EndpointSender } from '../../src/domain/webhooks/dispatch/endpoint-sender.ts';
import { mailDisabledWebhook } from '../../src/domain/webhooks/webhook-mail.ts';
import { forgetJumps } from '../../src/lib/clock.ts';
import { PENDING_MAX } from '../../src/model/webhooks.ts';
import { renewEpoch } from '../../src/storage/database-info.ts';
import { startMailServer } from '../support/mail-server.ts';
import { type Received, startReceiver } from '../support/receiver.ts';
import { Webhooks } from '../support/webhooks.ts';

const service = await startSharedService();

const tenant = async () => new Webhooks(service, await service.createTenant());
const reply =
  (status: number, headers: Record<string, string> = {}, body = '') =>
  (_: Received, response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A clock that can be set ahead, as if the time had passed. Timers keep running. */
function clockFor(t: TestContext) {
  const startMs = Date.now();
  defer(t, () => {
    mock.timers.reset();
    forgetJumps();
  });
  return (aheadMs: number) => {
    mock.timers.reset();
    mock.timers.enable({ apis: ['Date'], now: startMs + aheadMs });
    forgetJumps();
  };
}

test('every event arrives once, signed, and in order for each listing', async (t) => {
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id, secret } = await webhooks.create(receiver.url);
  await Promise.all(Array.from({ length: 8 }, () => webhooks.createListing(5)));
  await webhooks.untilSettled(id, 48);

  assert.deepEqual(
    [...receiver.sequences].sort((a, b) => a - b),
    Array.from({ length: 48 }, (_, index) => index + 1),
  );
  const byListing = Map.groupBy(receiver.requests, ({ event }) => event.data.listingId);
  for (const received of byListing.values()) {
    const sequences = received.map(({ event }) => event.data.sequence);
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    );
  }
  const [{ body: first }] = [await webhooks.call('GET', '/v1/events?limit=1')];
  const one = receiver.requests.find(({ event }) => event.data.sequence === 1);
  assert.ok(one);
  assert.deepEqual(one.event, {
    type: 'listing.created',
    timestamp: first.data[0].createdAt,
    data: first.data[0],
    accountId: webhooks.tenant.accountId,
    epoch: first.epoch,
  });
  const verifier = new Webhook(secret);
  for (const { body, headers } of receiver.requests) {
    verifier.verify(body, headers);
    assert.throws(() => verifier.verify(`${body} `, headers));
  }
  const ids = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
  assert.equal(ids.size, 48);
});

test('after three failures, an endpoint gets one attempt at a time until it accepts one', async (t) => {
  const [failing, healthy] = [await startReceiver(t), await startReceiver(t)];
  const webhooks = await tenant();
  const { id } = await webhooks.create(failing.url);
  failing.respond = reply(503);
  await webhooks.createListing();
  await webhooks.createListing();
  await webhooks.createListing();
  await until('three have failed', async () => (await webhooks.deliveries(id, '?state=pending')).length === 3);

  const held: ServerResponse[] = [];
  failing.respond = (_, response) => void held.push(response);
  await webhooks.create(healthy.url);
  for (let count = 0; count < 10; count += 1) await webhooks.createListing();
  await until('the other endpoint has all events', () => healthy.sequences.length === 10);
  await until('an attempt is in flight', () => held.length > 0);
  assert.equal(held.length, 1);
  held[0]?.writeHead(204).end();
  await until('more are in flight', () => held.length > 2);
  for (const response of held) if (!response.writableEnded) response.writeHead(204).end();
  failing.respond = reply(204);
});

test('a failed delivery waits, later events of its listing wait behind it, and other listings go on', async (t) => {
  const startMs = Date.now();
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  let bad = '';
  receiver.respond = ({ event }, response) =>
    void response.writeHead(event.data.listingId === bad ? 503 : 204).end('Busy\u0000');
  bad = await webhooks.createListing();
  await until(
    'the first attempt has failed',
    async () => (await webhooks.deliveries(id, '?state=pending')).length === 1,
  );
  await webhooks.call('PATCH', `/v1/listings/${bad}`, { beds: 4 });
  await webhooks.createListing();
  await until('the other listing was delivered', async () => (await webhooks.get(id)).position === 3);
  const attempts = () => receiver.requests.filter(({ event }) => event.data.listingId === bad);
  assert.equal(
    attempts().every(({ event }) => event.data.sequence === 1),
    true,
  );

  // The schedule in docs/webhooks.md, with a jitter of a fifth.
  for (const [index, delayMs] of [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    10 * HOUR,
  ].entries()) {
    const delivery = await until(`attempt ${index + 1} is stored`, async () =>
      (await webhooks.deliveries(id)).find(({ sequence, attempts: count }) => sequence === 1 && count === index + 1),
    );
    assert.equal(delivery.state, 'pending');
    assert.deepEqual([delivery.status, delivery.response], [503, 'Busy\ufffd']);
    const nextMs = Date.parse(delivery.nextAttemptAt ?? '');
    const waitMs = nextMs - Date.parse(delivery.lastAttemptAt ?? '');
    assert.ok(waitMs >= delayMs * 0.8 && waitMs <= delayMs * 1.2, `${index}: ${waitMs} ms`);
    // Otherwise, the endpoint would accept nothing for so long that failed attempts would no longer be counted.
    if (index >= 5) {
      const accepted = await webhooks.createListing();
      await until('another listing was delivered', () =>
        receiver.requests.some(({ event }) => event.data.listingId === accepted),
      );
    }
    setAhead(nextMs - startMs + 1);
  }
  const failed = await until('the delivery has failed', async () =>
    (await webhooks.deliveries(id, '?state=failed')).find(({ sequence }) => sequence === 1),
  );
  assert.equal(failed.attempts, 8);
  await until('the next event of the listing is sent', () => attempts().some(({ event }) => event.data.sequence === 2));
  const ids = () =>
    attempts()
      .filter(({ event }) => event.data.sequence === 1)
      .map(({ headers }) => headers['webhook-id']);
  assert.deepEqual(ids(), Array(8).fill(failed.id));

  receiver.respond = reply(204);
  assert.equal((await webhooks.call('POST', `/v1/webhooks/${id}/deliveries/${failed.id}/redeliver`)).status, 202);
  await until('it was delivered again', async () =>
    (await webhooks.deliveries(id, '?state=delivered')).some(({ id: delivered }) => delivered === failed.id),
  );
  assert.deepEqual(ids(), Array(9).fill(failed.id));
});

test('nothing is sent before the deliveries that wait for a retry are known', async (t) => {
  await using own = await startTestService();
  const { database } = own;
  const webhooks = new Webhooks(own, await own.createTenant());
  const receiver = await startReceiver(t);
  receiver.respond = reply(500);
  const { id } = await webhooks.create(receiver.url);
  const listingId = await webhooks.createListing();
  await until('a retry is stored', async () => (await webhooks.get(id)).pending === 1);
  await webhooks.call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
  await webhooks.call('PATCH', `/v1/listings/${listingId}`, { listPrice: 1_000 });
  receiver.respond = reply(204);

  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: isLoading, resolve: tellLoading } = Promise.withResolvers<void>();
  const execute = database.execute.bind(database);
  t.mock.method(database, 'execute', async (...given: Parameters<typeof execute>) => {
    if (Object(given[1]).limit === 2 * PENDING_MAX) {
      tellLoading();
      await released;
    }
    return execute(...given);
  });
  await webhooks.call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
  await isLoading;
  await webhooks.createListing();
  await webhooks.call('POST', `/v1/webhooks/${id}/test`);
  release();
  await webhooks.untilSettled(id, 3);
  const ofListing = receiver.requests.filter(({ event }) => event.data.listingId === listingId);
  assert.deepEqual(
    ofListing.map(({ event }) => event.data.sequence),
    [1, 1, 2],
  );
});

test('a retry is sent when it is due, and does not wait until all endpoints are checked', async (t) => {
  t.mock.method(EndpointSender.prototype, 'wakeIfDue', () => {});
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  receiver.respond = (_, response) => void response.writeHead(receiver.requests.length > 1 ? 204 : 503).end();
  await webhooks.createListing();
  await webhooks.untilSettled(id, 1);
  assert.deepEqual(receiver.sequences, [1, 1]);
});

test("a suspended account's events wait, and are sent after the account is resumed", async (t) => {
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)];
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url, { enabled: false });
  await webhooks.createListing();
  await suspendAccount(service.database, webhooks.tenant.accountId, 'Unpaid');
  // All endpoints are checked in the order of their accounts.
  const later = await tenant();
  const { id: laterId } = await later.create(other.url, { enabled: false });
  await later.createListing();
  await service.sql('update webhooks set enabled = 1 where id in (?, ?)', id, laterId);
  await later.untilSettled(laterId, 1);
  assert.equal(receiver.requests.length, 0);
  await resumeAccount(service.database, webhooks.tenant.accountId);
  await webhooks.untilSettled(id, 1);
  assert.deepEqual(receiver.sequences, [1]);
});

test('Retry-After is honored, and redirects are failures that are not followed', async (t) => {
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  receiver.respond = reply(302, { Location: receiver.url, 'Retry-After': '3600' });
  const startMs = Date.now();
  await webhooks.createListing();
  const [delivery] = await until('the attempt is stored', async () => {
    const found = await webhooks.deliveries(id);
    return found.length > 0 && found;
  });
  assert.deepEqual([delivery?.state, delivery?.status, receiver.requests.length], ['pending', 302, 1]);
  assert.ok(Date.parse(delivery?.nextAttemptAt ?? '') - startMs >= HOUR);
});

test('an endpoint that failed for a week gets every event once it is enabled again', async (t) => {
  const startMs = Date.now();
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  // With Retry-After, there are fewer attempts than in the schedule.
  receiver.respond = reply(503, { 'Retry-After': '43200' });
  const listings = [await webhooks.createListing(1), await webhooks.createListing(1)];
  const states = async () => (await webhooks.deliveries(id)).map(({ state, attempts }) => ({ state, attempts }));
  await until(
    'both have failed once',
    async () => (await states()).filter(({ attempts }) => attempts > 0).length === 2,
  );
  // Set the clock to the time at which each attempt is due.
  let disabled = await webhooks.get(id);
  for (let seen = 0; disabled.enabled; seen += 1) {
    const due = await until('attempts are due later', async () => {
      const all = (await webhooks.deliveries(id)).flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []);
      const latestMs = Math.max(...all.map((time) => Date.parse(time)));
      disabled = await webhooks.get(id);
      return (!disabled.enabled || (all.length === 2 && latestMs > Date.now())) && latestMs;
    });
    setAhead(due - startMs + 1);
    assert.ok(seen < 30);
  }
  assert.ok(receiver.sequences.filter((sequence) => sequence === 1).length > 8, 'attempts go on after the schedule');
  const arePending = async () => (await states()).every(({ state }) => state === 'pending');
  assert.ok(await arePending());

  setAhead(7 * DAY);
  await webhooks.createListing();
  receiver.requests.length = 0;
  await webhooks.call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
  await until('it still fails', async () => (await webhooks.get(id)).failingSince !== null);
  assert.ok(await arePending());
  receiver.respond = reply(204);
  await webhooks.call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
  await webhooks.call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
  receiver.requests.length = 0;
  await webhooks.untilSettled(id, 5);
  assert.deepEqual([...receiver.sequences].sort(), [1, 2, 3, 4, 5]);
  for (const listingId of listings) {
    const sent = receiver.requests.filter(({ event }) => event.data.listingId === listingId);
    assert.deepEqual(
      sent.map(({ event }) => event.type),
      ['listing.created', 'listing.updated'],
    );
  }
});

test('once an endpoint accepts an event after an outage, nothing waits any longer', async (t) => {
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  receiver.respond = reply(503, { 'Retry-After': '36000' });
  for (let count = 0; count < 8; count += 1) await webhooks.createListing();
  await until('all wait', async () => (await webhooks.get(id)).position === 8);
  setAhead(2 * HOUR);
  receiver.respond = reply(204);
  await webhooks.createListing();
  await webhooks.untilSettled(id, 9);
  assert.equal(receiver.requests.length, 17);
});

test('an endpoint that accepts a single event after an outage loses none of the others', async (t) => {
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  receiver.respond = reply(503);
  for (let count = 0; count < 10; count += 1) await webhooks.createListing();
  await until('all wait', async () => (await webhooks.get(id)).position === 10);
  for (const day of [1, 2, 3]) {
    const sent = receiver.requests.length;
    setAhead(day * DAY);
    await until('all are attempted again', () => receiver.requests.length === sent + 10);
    await until('the attempts are stored', async () =>
      (await webhooks.deliveries(id)).every(
        ({ lastAttemptAt }) => Date.parse(lastAttemptAt ?? '') >= Date.now() - HOUR,
      ),
    );
  }
  let accepted = 0;
  receiver.respond = (_, response) => void response.writeHead(accepted++ === 0 ? 204 : 503).end();
  await webhooks.createListing();
  await until('the others are attempted early', () => accepted === 11);
  await until('the result is stored', async () => (await webhooks.get(id)).position === 11);
  const states = (await webhooks.deliveries(id)).map(({ state }) => state);
  assert.deepEqual(states.toSorted(), ['delivered', ...Array(10).fill('pending')]);
});

test('an endpoint that rejects events of many listings gets those of another listing, although it looks unavailable', async (t) => {
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  let accepted = '';
  receiver.respond = ({ event }, response) =>
    void response.writeHead(event.data.listingId === accepted ? 204 : 422).end();
  // More events than the service reads while all attempts fail, even if it was reading a page at the limit.
  for (let count = 0; count < 330; count += 1) await webhooks.createListing();
  await until('it reads no further events', async () => (await webhooks.get(id)).pending >= PENDING_MAX / 2);
  accepted = await webhooks.createListing();
  setAhead(DAY);
  await until('the event of the other listing has arrived', () => receiver.sequences.includes(331));
  await until('the endpoint no longer fails', async () => {
    const delivered = await webhooks.deliveries(id, '?state=delivered');
    return delivered.some(({ sequence }) => sequence === 331);
  });
});

test('attempts before their time do not use up the schedule', async (t) => {
  const startMs = Date.now();
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  const rejected = new Set<string>();
  receiver.respond = reply(503, { 'Retry-After': '86400' });
  for (let count = 0; count < 9; count += 1) rejected.add(await webhooks.createListing());
  await until('all wait', async () => (await webhooks.get(id)).position === 9);
  receiver.respond = ({ event }, response) =>
    void response.writeHead(rejected.has(event.data.listingId) ? 503 : 204).end();
  for (let round = 1; round <= 3; round += 1) {
    setAhead(round * 2 * HOUR);
    await webhooks.createListing();
    await until('all are attempted early', () => receiver.requests.length === 9 + round * 10);
    await until('the results are stored', async () => {
      const { position, failingSince } = await webhooks.get(id);
      return position === 9 + round && Date.parse(failingSince ?? '') >= Date.now() - MINUTE;
    });
  }
  for (const { attempts, nextAttemptAt } of await webhooks.deliveries(id, '?state=pending')) {
    assert.equal(attempts, 2);
    assert.ok(Date.parse(nextAttemptAt ?? '') >= startMs + DAY);
  }
});

test('an endpoint that was away for a week continues where it stopped; events that are gone are reported', async (t) => {
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url, { enabled: false });
  await webhooks.createListing(2);
  setAhead(7 * DAY);
  await webhooks.createListing(1);
  await webhooks.call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
  await webhooks.untilSettled(id, 5);
  assert.deepEqual([...receiver.sequences].sort(), [1, 2, 3, 4, 5]);

  await webhooks.call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
  await webhooks.createListing(2);
  setAhead((7 + EVENTS_KEPT_DAYS + 1) * DAY + HOUR);
  await purgeEvents(service.database, Date.now(), new AbortController().signal);
  await webhooks.createListing();
  await webhooks.call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
  await webhooks.untilSettled(id, 9);
  const [expired] = await webhooks.deliveries(id, '?state=expired');
  assert.deepEqual([expired?.sequence, expired?.lastSequence], [6, 8]);
  assert.equal(receiver.sequences.at(-1), 9);
  const replay = await webhooks.call('POST', `/v1/webhooks/${id}/replay`, { after: 1 });
  assert.deepEqual([replay.status, replay.body.error.code], [410, 'events_expired']);
});

/** A service that sends mail, and the server that receives it. */
async function startMailingService(t: TestContext) {
  const mail = await startMailServer();
  defer(t, () => mail.close());
  const service = await startTestService({
    mail: { smtpUrl: mail.url, from: 'listings@example.com' },
    publicUrl: 'https://listings.example.com',
  });
  defer(t, () => service[Symbol.asyncDispose]());
  return { mail, service };
}

test('an endpoint that has failed for five days without a success is disabled, with mail to the administrators', async (t) => {
  const { mail, service: own } = await startMailingService(t);
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = new Webhooks(own, await own.createTenant());
  const { accountId } = webhooks.tenant;
  const ada = await createPerson(own, { accountId });
  const grace = await createPerson(own, { accountId, role: 'member' });
  receiver.respond = reply(500);
  const { id } = await webhooks.create(receiver.url);
  await webhooks.createListing();
  await until('it fails', async () => (await webhooks.get(id)).failingSince !== null);
  setAhead(5 * DAY + MINUTE);
  await webhooks.createListing();
  const disabled = await until('it is disabled', async () => {
    const webhook = await webhooks.get(id);
    return !webhook.enabled && webhook;
  });
  assert.ok(disabled.disabledAt);
  const [letter] = await until('mail arrived', () => mail.letters.length > 0 && mail.letters);
  assert.ok(letter?.includes(ada.email) && !letter.includes(grace.email));
  const [entry] = await own.sql("select * from audit_log where action = 'webhook.disabled'");
  assert.equal(entry?.target_id, id);

  receiver.respond = reply(204);
  const { body } = await webhooks.call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
  assert.deepEqual([body.failingSince, body.disabledAt], [null, null]);
  setAhead(7 * DAY);
  await webhooks.untilSettled(id, 2);
});

test('a clock that jumps ahead does not disable an endpoint', async (t) => {
  clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  receiver.respond = reply(500);
  const { id } = await webhooks.create(receiver.url);
  await webhooks.createListing();
  await until('it fails', async () => (await webhooks.get(id)).failingSince !== null);
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 6 * DAY });
  await until('another attempt is stored', async () =>
    (await webhooks.deliveries(id)).some(({ attempts }) => attempts === 2),
  );
  assert.equal((await webhooks.get(id)).enabled, true);
});

test('a delivery that was planned by a wrong clock is sent once the clock is right again', async (t) => {
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  receiver.respond = reply(503);
  setAhead(400 * DAY);
  const { id } = await webhooks.create(receiver.url);
  await webhooks.createListing();
  await until('a retry is planned', async () => (await webhooks.get(id)).pending === 1);
  setAhead(0);
  await until('it is attempted again', () => receiver.requests.length === 2);
  await until('the endpoint fails since now', async () => {
    const { failingSince } = await webhooks.get(id);
    return failingSince !== null && Date.parse(failingSince) <= Date.now();
  });
  receiver.respond = reply(204);
  setAhead(MINUTE);
  await webhooks.untilSettled(id, 1);
});

test('if mail to one administrator is rejected, the others still get theirs', async () => {
  const { accountId } = await service.createTenant();
  const people = [await createPerson(service, { accountId }), await createPerson(service, { accountId })];
  const [told, errors] = [new Set<string>(), new Set<unknown>()];
  const refusal = new Error('550 no such user');
  const mailer = async ({ to }: { to: string }) => {
    told.add(to);
    if (told.size === 1) throw refusal;
  };
  const mail = { mailer, publicUrl: undefined };
  const webhook = { url: 'https://example.com/webhooks' };
  await mailDisabledWebhook(service.database, mail, accountId, webhook, (error) => void errors.add(error));
  assert.deepEqual(told, new Set(people.map(({ email }) => email)));
  assert.deepEqual(errors, new Set([refusal]));
});

test('the mail about a disabled endpoint is sent even if its sender is stopped meanwhile', async (t) => {
  const { mail, service: own } = await startMailingService(t);
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = new Webhooks(own, await own.createTenant());
  await createPerson(own, { accountId: webhooks.tenant.accountId });
  const rejected = await webhooks.createListing();
  const aborted = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  receiver.respond = ({ event }, response) => {
    if (event.data.listingId === rejected) return void response.writeHead(500).end();
    response.on('close', () => aborted.resolve());
    held.resolve();
  };
  const { id } = await webhooks.create(receiver.url);
  await webhooks.call('PATCH', `/v1/listings/${rejected}`, { beds: 4 });
  await until('it fails', async () => (await webhooks.get(id)).failingSince !== null);
  await webhooks.createListing();
  await held.promise;

  // The write that disables the endpoint is not acknowledged before the attempt in flight is aborted.
  const write = own.database.write.bind(own.database);
  t.mock.method(own.database, 'write', async (...given: Parameters<typeof write>) => {
    const result = await write(...given);
    const [row] = await own.sql('select enabled from webhooks where id = ?', id);
    if (row?.enabled === 0 && given[1] === webhooks.tenant.accountId) await aborted.promise;
    return result;
  });
  setAhead(5 * DAY + MINUTE);
  await until('mail arrived', () => mail.letters.length > 0);
  assert.equal((await webhooks.get(id)).enabled, false);
});

test('an endpoint is disabled only after another failed attempt', async (t) => {
  await using own = await startTestService();
  const receiver = await startReceiver(t);
  const webhooks = new Webhooks(own, await own.createTenant());
  const { id } = await webhooks.create(receiver.url, { types: ['listing.deleted'], enabled: false });
  await own.sql('update webhooks set failing_since = ?, enabled = 1', Date.now() - 6 * DAY);
  const listingId = await webhooks.createListing();
  await webhooks.untilSettled(id, 1);
  assert.equal((await webhooks.get(id)).enabled, true);
  await webhooks.call('DELETE', `/v1/listings/${listingId}`);
  await webhooks.untilSettled(id, 2);
  const { enabled, failingSince } = await webhooks.get(id);
  assert.deepEqual([enabled, failingSince, receiver.sequences], [true, null, [2]]);
});

test('a first failed attempt after days without events does not disable an endpoint', async (t) => {
  await using own = await startTestService();
  const receiver = await startReceiver(t);
  const webhooks = new Webhooks(own, await own.createTenant());
  const { id } = await webhooks.create(receiver.url, { enabled: false });
  await own.sql('update webhooks set failing_since = ?, enabled = 1', Date.now() - 6 * DAY);
  receiver.respond = reply(503);
  await webhooks.createListing();
  await until('the attempt is stored', async () => (await webhooks.get(id)).pending === 1);
  assert.equal((await webhooks.get(id)).enabled, true);
});

test('after a roll, both secrets verify for a day, and then only the new one', async (t) => {
  const setAhead = clockFor(t);
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id, secret } = await webhooks.create(receiver.url);
  const { body: rolled } = await webhooks.call('POST', `/v1/webhooks/${id}/roll-secret`);
  assert.notEqual(rolled.secret, secret);
  const lastSigned = async () => {
    const { length } = receiver.requests;
    await webhooks.createListing();
    await until('it arrived', () => receiver.requests.length > length);
    const received = receiver.requests.at(-1);
    assert.ok(received);
    return received;
  };
  const both = await lastSigned();
  for (const each of [secret, rolled.secret]) new Webhook(each).verify(both.body, both.headers);
  assert.equal(both.headers['webhook-signature']?.split(' ').length, 2);
  setAhead(DAY + MINUTE);
  const one = await lastSigned();
  new Webhook(rolled.secret).verify(one.body, one.headers);
  assert.throws(() => new Webhook(secret).verify(one.body, one.headers));
});

test('types filter events, and the position is stored even if it passed only filtered-out events', async (t) => {
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url, { types: ['listing.deleted'] });
  const listing = await webhooks.createListing(2);
  await webhooks.call('DELETE', `/v1/listings/${listing}`);
  await webhooks.untilSettled(id, 4);
  assert.deepEqual(
    receiver.requests.map(({ event }) => event.type),
    ['listing.deleted'],
  );
});

test('a replay sends all later events again with the same ids', async (t) => {
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  await webhooks.createListing(2);
  await webhooks.untilSettled(id, 3);
  const before = receiver.requests.map(({ headers }) => headers['webhook-id']);
  const { body } = await webhooks.call('POST', `/v1/webhooks/${id}/replay`, { after: 1 });
  assert.equal(body.position, 1);
  await until('they arrived again', () => receiver.requests.length === 5);
  assert.deepEqual(
    receiver.requests.slice(3).map(({ headers }) => headers['webhook-id']),
    before.slice(1),
  );
});

test('two processes send each event once, and after a stop the other one continues', async (t) => {
  const directory = await directoryFor(t);
  const database = await createDatabase(directory);
  const receiver = await startReceiver(t);
  const one = await startTestService({ database });
  defer(t, () => one[Symbol.asyncDispose]());
  const other = await startTestService({ database: { ...database, drop: async () => {} } });
  const webhooks = new Webhooks(one, await one.createTenant());
  const { id } = await webhooks.create(receiver.url);
  for (let count = 0; count < 10; count += 1) await webhooks.createListing(1);
  await webhooks.untilSettled(id, 20);
  assert.equal(receiver.requests.length, 20);
  await other[Symbol.asyncDispose]();
  await webhooks.createListing(1);
  await webhooks.untilSettled(id, 22);
  assert.deepEqual(
    [...receiver.sequences].sort((a, b) => a - b),
    Array.from({ length: 22 }, (_, index) => index + 1),
  );
});

test('a new epoch reaches every endpoint, even while an account writes', async (t) => {
  await using own = await startTestService();
  const webhooks = new Webhooks(own, await own.createTenant());
  const receivers = await Promise.all(Array.from({ length: 8 }, () => startReceiver(t)));
  for (const { url } of receivers) await webhooks.create(url);
  let isWriting = true;
  const writers = Array.from({ length: 4 }, async () => {
    // Write with pauses, because a sender that always has more to send stops later.
    while (isWriting) await Promise.all([webhooks.createListing(), sleep(60)]);
  });
  const untilAll = (what: string, has: (received: Received) => boolean) =>
    until(what, () => receivers.every(({ requests }) => requests.some(has)));
  for (let round = 0; round < 2; round += 1) {
    const epoch = await renewEpoch(own.database);
    await untilAll('every endpoint gets the new epoch', ({ event }) => event.epoch === epoch);
    const listingId = await webhooks.createListing();
    const isLast = ({ event }: Received) => event.data.listingId === listingId;
    await untilAll('a later event arrives', isLast);
    for (const { requests } of receivers) assert.equal(requests.findLast(isLast)?.event.epoch, epoch);
  }
  isWriting = false;
  await Promise.all(writers);
});

test('an endpoint that hangs does not delay large events to others of its account', async (t) => {
  const hanging = await startReceiver(t);
  hanging.respond = () => {};
  const healthy = await startReceiver(t);
  const webhooks = await tenant();
  for (const { url } of [hanging, healthy]) await webhooks.create(url);
  const photos = Array.from({ length: 100 }, (_, index) => ({ url: `https://example.com/${'p'.repeat(900)}${index}` }));
  const listing = { address: '12 Elm Street', beds: 3, baths: 2, photos };
  for (let count = 0; count < 12; count += 1) {
    assert.equal((await webhooks.call('POST', '/v1/listings', listing)).status, 201);
  }
  await until('all arrive', () => healthy.requests.length === 12);
  assert.ok(hanging.requests.length <= 2, `${hanging.requests.length} attempts`);
});

test('endpoints that hang or refuse do not delay others, and a stop does not wait for them', async (t) => {
  await using own = await startTestService();
  const receiver = await startReceiver(t);
  const hanging = await startReceiver(t);
  hanging.respond = () => {};
  const slow = new Webhooks(own, await own.createTenant());
  for (let count = 0; count < 10; count += 1) {
    await slow.create(hanging.url);
    await slow.create('http://127.0.0.1:1024/');
  }
  await Promise.all(Array.from({ length: 30 }, () => slow.createListing()));
  await until('many attempts hang', () => hanging.requests.length >= 40);
  const healthy = new Webhooks(own, await own.createTenant());
  const { id } = await healthy.create(receiver.url);
  await healthy.createListing(3);
  await healthy.untilSettled(id, 4);
  assert.equal(receiver.requests.length, 4);
});

test('a replay right after deliveries, before their position is stored, sends them again', async (t) => {
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  await webhooks.createListing(1);
  await until('both events arrived', () => receiver.requests.length >= 2);
  const { status } = await webhooks.call('POST', `/v1/webhooks/${id}/replay`, { after: 0 });
  assert.equal(status, 200);
  await until('both events arrived again', () => receiver.requests.length >= 4);
  assert.deepEqual(receiver.sequences.slice(0, 4), [1, 2, 1, 2]);
});

test('all endpoints are checked a few times per second at most, however often clients change one', async (t) => {
  await using own = await startTestService();
  const webhooks = new Webhooks(own, await own.createTenant());
  const receiver = await startReceiver(t);
  const { id } = await webhooks.create(receiver.url);
  let checks = 0;
  const execute = own.database.execute.bind(own.database);
  t.mock.method(own.database, 'execute', (...given: Parameters<typeof execute>) => {
    const { behind, limit } = Object(given[1]);
    if (behind === 0 && limit === 1) checks += 1;
    return execute(...given);
  });
  const startMs = performance.now();
  for (let count = 0; count < 50; count += 1) {
    const { status } = await webhooks.call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
    assert.equal(status, 200);
  }
  const seconds = (performance.now() - startMs) / 1_000;
  assert.ok(checks <= 1 + 5 * seconds, `${checks} checks in ${seconds} s`);
  await webhooks.createListing();
  await webhooks.untilSettled(id, 1);
});

test('a check of many endpoints yields to the event loop', async (t) => {
  await using own = await startTestService();
  const webhooks = new Webhooks(own, await own.createTenant());
  const { id } = await webhooks.create('https://example.com/webhooks');
  const columns = 'account_id, url, enabled, secret, position, created_at, updated_at';
  await own.sql(
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1200)
    insert into webhooks (id, ${columns}) select id || cast(n as text), ${columns} from webhooks, numbers where id = ?`,
    id,
  );
  let turn = 0;
  const counting = new AbortController();
  t.after(() => counting.abort());
  const countTurns = () => {
    turn += 1;
    if (!counting.signal.aborted) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const pages: number[] = [];
  const execute = own.database.execute.bind(own.database);
  t.mock.method(own.database, 'execute', (...given: Parameters<typeof execute>) => {
    const { behind, limit } = Object(given[1]);
    if (behind === 0 && limit > 1) pages.push(turn);
    return execute(...given);
  });
  await until('three pages are read', () => pages.length >= 3);
  assert.equal(new Set(pages).size, pages.length, `in the turns ${pages}`);
});
