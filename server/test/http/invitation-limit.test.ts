import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvitationLimit } from '../../src/http/identity/invitation-limit.ts';
import { type CreateLimiter, createMemoryLimiter } from '../../src/lib/limiter.ts';

const OF_ACCOUNT = 100;
const TO_EMAIL = 5;
const rejected = { code: 'rate_limited' };

test('invitations to one address do not use up the limit of another', async () => {
  const limit = new InvitationLimit(createMemoryLimiter);
  for (let count = 0; count < TO_EMAIL; count += 1) await limit.spend('acc_a', 'one@example.com');
  for (let count = 0; count < 2 * OF_ACCOUNT; count += 1) {
    await assert.rejects(limit.spend('acc_a', 'one@example.com'), rejected);
  }
  for (let count = TO_EMAIL; count < OF_ACCOUNT; count += 1) await limit.spend('acc_a', `${count}@example.com`);
  await assert.rejects(limit.spend('acc_a', 'last@example.com'), rejected);
  await limit.spend('acc_b', 'last@example.com');
});

test('rejected invitations use no additional memory', async () => {
  const counted = new Set<string | number>();
  const createLimiter: CreateLimiter = (name, allowance) => {
    const limiter = createMemoryLimiter(name, allowance);
    return {
      points: limiter.points,
      duration: limiter.duration,
      get: (key) => limiter.get(key),
      penalty(key, points) {
        counted.add(key);
        return limiter.penalty(key, points);
      },
      reward: (key, points) => limiter.reward(key, points),
      delete: (key) => limiter.delete(key),
    };
  };
  const limit = new InvitationLimit(createLimiter);
  for (let count = 0; count < OF_ACCOUNT; count += 1) await limit.spend('acc_a', `${count}@example.com`);
  const before = counted.size;
  for (let count = 0; count < 5 * OF_ACCOUNT; count += 1) {
    await assert.rejects(limit.spend('acc_a', `other${count}@example.com`), rejected);
  }
  assert.equal(counted.size, before);
});
