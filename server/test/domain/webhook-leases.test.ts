import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Leases } from '../../src/domain/webhooks/dispatch/leases.ts';
import { databaseFor } from '../storage/support.ts';

const ACCOUNTS = Array.from({ length: 100 }, (_, index) => `acc_${index}`);
/** How often the dispatcher renews its leases. */
const TICK_MS = 3_000;

test('a dead process loses its leases within 15 s, and no account ever has two owners', async (t) => {
  const { database } = await databaseFor(t);
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const [one, two] = [new Leases(database), new Leases(database)];
  const ownedBy = (leases: Leases) => ACCOUNTS.filter((account) => leases.owns(account)).length;
  const assertOneOwner = () => assert.ok(!ACCOUNTS.some((account) => one.owns(account) && two.owns(account)));
  while (ownedBy(one) === 0 || ownedBy(one) + ownedBy(two) < ACCOUNTS.length) {
    nowMs += TICK_MS;
    for (const leases of [one, two]) {
      await leases.refresh();
      assertOneOwner();
    }
  }
  // The first process dies right after it has renewed its leases, so that the second one notices as late as possible.
  await one.refresh();
  const diedMs = nowMs;
  for (nowMs += TICK_MS - 1; ownedBy(two) < ACCOUNTS.length; nowMs += TICK_MS) {
    await two.refresh();
    assertOneOwner();
    assert.ok(nowMs - diedMs <= 15_000);
  }
  // If the first process continues, for example because only its machine was paused, it owns no account at first.
  assert.equal(ownedBy(one), 0);
  await one.refresh();
  assertOneOwner();
});

test('a process that ends leaves its accounts to others at once', async (t) => {
  const { database } = await databaseFor(t);
  const [one, two] = [new Leases(database), new Leases(database)];
  await one.refresh();
  assert.ok(ACCOUNTS.every((account) => one.owns(account)));
  await one.release();
  await two.refresh();
  assert.ok(ACCOUNTS.every((account) => two.owns(account)));
  assert.ok(!ACCOUNTS.some((account) => one.owns(account)));
});
