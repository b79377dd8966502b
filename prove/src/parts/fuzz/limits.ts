import assert from 'node:assert/strict';
import type { Trial } from '../../part.ts';
import { serve } from '../../service.ts';
import type { World } from './accounts.ts';
import { TARGETS } from './api.ts';
import { Caller } from './caller.ts';
import type { Tally } from './tally.ts';

const TIMES = 5;

/** Each operation of `/v1` is refused alike when a key has sent what it may: here one request in an hour. */
export async function useUpRequests(
  trial: Trial,
  settings: Record<string, string>,
  { callers }: World,
  tally: Tally,
): Promise<void> {
  const { url } = await serve(trial, { ...settings, RATE_LIMIT: '1/1h' });
  const caller = new Caller(url, tally);
  await (await fetch(`${url}/v1/me`, { headers: callers.key })).text();
  for (const target of TARGETS.filter(({ base }) => base === '/v1')) {
    for (let count = 0; count < TIMES; count += 1) {
      const method = target.operation.method.toUpperCase();
      const { status } = await caller.ask(target, method, `/v1${target.operation.path}`, callers.key);
      assert.equal(status, 429, `${target.operation.operationId} is not limited`);
    }
  }
}
