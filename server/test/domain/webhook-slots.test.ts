import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots, type SlotUser } from '../../src/domain/webhooks/dispatch/slots.ts';

/** An endpoint that always has more to send. */
function endpoint(accountId: string) {
  return {
    ...{ accountId, isFailing: false, limit: 64, hasReady: true, woken: 0 },
    wake() {
      this.woken += 1;
    },
  };
}

test('a free slot goes to an endpoint that can use it, however many slow ones want more than their share', () => {
  const slots = new Slots();
  const held: (() => void)[] = [];
  const take = (user: SlotUser) => {
    const free = slots.take(user);
    if (free !== undefined) held.push(free);
    return free !== undefined;
  };
  const slow = Array.from({ length: 100 }, (_, index) => endpoint(`slow ${index}`));
  for (let turn = 0; turn < 64; turn += 1) for (const user of slow) take(user);
  const taken = held.length;
  let healthy = endpoint('healthy');
  while (take(healthy)) healthy = endpoint(`healthy ${held.length}`);
  assert.ok(held.length > taken, 'slow endpoints leave slots to others');
  for (const user of slow) take(user);
  held[0]?.();
  assert.equal(healthy.woken, 1);
  assert.ok(take(healthy));
});

test('a free slot is not lost to an endpoint that cannot use it any longer', () => {
  const slots = new Slots();
  const failing = (accountId: string) => Object.assign(endpoint(accountId), { isFailing: true, limit: 1 });
  const held: (() => void)[] = [];
  let ended = failing('first');
  for (let free = slots.take(ended); free !== undefined; free = slots.take(ended)) {
    held.push(free);
    ended = failing(`${held.length}`);
  }
  const [idle, recovered, next, last] = [failing('idle'), failing('recovered'), failing('next'), failing('last')];
  for (const user of [idle, recovered, next, last]) assert.equal(slots.take(user), undefined);
  slots.leave(ended);
  idle.hasReady = false;
  recovered.isFailing = false;
  held[0]?.();
  assert.deepEqual([ended.woken, idle.woken, recovered.woken, next.woken, last.woken], [0, 0, 0, 1, 0]);
  slots.leave(next);
  assert.equal(last.woken, 1, 'an endpoint that ends before it uses the slot leaves it to the next one');
});

test('a free slot is not lost to an endpoint that already has its share', () => {
  const slots = new Slots();
  const held: (() => void)[] = [];
  const take = (user: SlotUser) => {
    for (let free = slots.take(user); free !== undefined; free = slots.take(user)) held.push(free);
  };
  const busy = Array.from({ length: 7 }, (_, index) => endpoint(`busy ${index}`));
  for (const user of busy) take(user);
  const [last, next] = [busy.at(-1), endpoint('next')];
  assert.ok(last);
  take(next);
  last.limit = 1;
  held[0]?.();
  assert.deepEqual([last.woken, next.woken], [0, 1]);
});
