import type { Told } from '../../../../testkit/src/openapi.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { generator } from '../../../../testkit/src/random-json.ts';
import { send } from '../../service.ts';

/** A client that knows the time of the service's clock. */
export class Caller {
  service: ServeProcess;
  readonly key: string;
  #aheadMs = 0;
  leastAheadMs = 0;
  mostAheadMs = 0;

  constructor(service: ServeProcess, key: string) {
    this.service = service;
    this.key = key;
  }

  get nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  setAhead(aheadMs: number): void {
    this.#aheadMs = aheadMs;
    this.leastAheadMs = Math.min(this.leastAheadMs, aheadMs);
    this.mostAheadMs = Math.max(this.mostAheadMs, aheadMs);
  }

  send(
    method: string,
    path: string,
    { body, key = this.key, retryKey }: { body?: unknown; key?: string; retryKey?: string | undefined } = {},
  ): Promise<Told> {
    const headers = retryKey === undefined ? {} : { 'Idempotency-Key': retryKey };
    return send(this.service.url, key, method, path, body, headers);
  }
}

export const DAY_MS = 24 * 60 * 60 * 1_000;
const HOUR_MS = 3_600_000;
const RANDOM_JUMPS = 40;

export interface Jump {
  what: string;
  /** How far ahead to set the clock. Computed when the clock is set, because time passes until then. */
  aheadMs(): number;
  /** If the clock is set to the beginning of a day: that day. */
  turn?: string;
}

export function jumpsOf(size: 'full' | 'small', seed: number): Jump[] {
  const right = by(0);
  const named = [by(-400 * DAY_MS), right, by(400 * DAY_MS), right, turnTo('2028-01-01'), turnTo('2028-02-29'), right];
  return size === 'small' ? named : [...named, ...furtherJumps(seed)];
}

function furtherJumps(seed: number): Jump[] {
  const random = generator(seed);
  return [
    turnTo('2028-03-01'),
    turnTo('2027-03-01'),
    by(0),
    to('2028-02-29T12:00:00Z'),
    to('2000-02-29T00:00:00Z'),
    ...[HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS, 29 * DAY_MS, 31 * DAY_MS].map(by),
    ...Array.from({ length: RANDOM_JUMPS }, () => by(Math.round((random() - 0.5) * 800 * DAY_MS))),
    by(0),
    to('2038-01-19T03:14:07Z'),
    by(0),
  ];
}

export function by(aheadMs: number): Jump {
  const days = (Math.abs(aheadMs) / DAY_MS).toFixed(aheadMs % DAY_MS === 0 ? 0 : 2);
  const what = aheadMs === 0 ? 'right' : `${days} days ${aheadMs < 0 ? 'behind' : 'ahead'}`;
  return { what, aheadMs: () => aheadMs };
}

function to(time: string): Jump {
  return { what: `at ${time}`, aheadMs: () => Date.parse(time) - Date.now() };
}

function turnTo(turn: string): Jump {
  return { ...to(`${turn}T00:00:00.000Z`), what: `at the beginning of ${turn}`, turn };
}
