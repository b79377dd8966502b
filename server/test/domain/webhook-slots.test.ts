import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots, type SlotUser } from '../../src/domain/webhooks/dispatch/slots.ts';

/** An endpoint that always has more to send. */
function endpoint(accountId: string) {
  return {
    ...{ accountId, isFailing: false, limit: 64, woken: 0 },
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
