import type { Fault } from '../../part.ts';

const RATE_LIMIT = 'server/src/http/gate/rate-limit.ts';
/** In the service: whether its clock is more than an hour off. */
const IS_OFF = 'Math.abs(Date.now() - performance.timeOrigin - performance.now()) > 3_600_000';

export const FAULTS: readonly Fault[] = [
  {
    name: 'ids-by-clock',
    what: 'An id begins with the time, also when that is before the last one',
    patches: [{ file: 'server/src/lib/ids.ts', from: 'if (nowMs > lastTimeMs) {', to: 'if (nowMs !== lastTimeMs) {' }],
  },
  {
    name: 'cursor-by-day',
    what: 'A cursor is good for a day',
    patches: [
      {
        file: 'server/src/http/protocol/cursor.ts',
        from: 'this.#sign(position, scope) +',
        to: 'this.#sign(position, scope + new Date().toDateString()) +',
      },
    ],
  },
  {
    name: 'expiry-remembered',
    what: 'Whether a key is over is told by when the process began',
    patches: [
      {
        file: 'server/src/domain/api-keys.ts',
        from: 'holder.expiresAt <= Date.now()',
        to: 'holder.expiresAt <= performance.timeOrigin',
      },
    ],
  },
  {
    name: 'retry-forgotten',
    what: 'A request is done again when the clock was set to another day before it is sent again',
    patches: [{ file: 'server/src/domain/idempotency.ts', from: ' || hasClockJumped()', to: '' }],
  },
  {
    name: 'purged',
    what: 'What looks old while the clock is ahead is removed',
    patches: [{ file: 'server/src/maintenance/housekeeping.ts', from: 'hasClockJumped() ? undefined : ', to: '' }],
  },
  {
    name: 'events-purged',
    what: 'Events that look old while the clock is ahead are removed',
    patches: [
      {
        file: 'server/src/maintenance/housekeeping.ts',
        from: "purge('events', EVENT_PURGE_INTERVAL_MS, (signal) => purgeEvents(database, signal)),",
        to: "schedule('purge events', EVENT_PURGE_INTERVAL_MS, (signal) => purgeEvents(database, signal), logger),",
      },
    ],
  },
  {
    name: 'long-wait',
    what: 'A client is told to wait until the clock gets to where it was',
    patches: [
      {
        file: 'server/src/lib/limiter.ts',
        from: 'return Math.min(msBeforeNext, duration * 1000);',
        to: 'return msBeforeNext;',
      },
    ],
  },
  {
    name: 'locked-out',
    what: 'Who has given a code while the clock was ahead is locked out until it gets there',
    patches: [
      { file: 'server/src/storage/two-factors.ts', from: "where('last_step', '>', parameter('latest')),", to: '' },
    ],
  },
  {
    name: 'updated-before-created',
    what: 'A listing is updated before it was created when the clock was set back',
    patches: [{ file: 'server/src/domain/save-listing.ts', from: 'now < createdAt ? createdAt : now', to: 'now' }],
  },
  {
    name: 'limit-off',
    what: 'A key may send what it likes while the clock is more than an hour off',
    patches: [
      {
        file: RATE_LIMIT,
        from: 'if (counted.consumedPoints <= meter.limiter.points) return headers;',
        to: `if (counted.consumedPoints <= meter.limiter.points || ${IS_OFF}) return headers;`,
      },
    ],
  },
  {
    name: 'uncounted',
    what: 'What a key sends is not counted while the clock is more than an hour off',
    patches: [
      {
        file: RATE_LIMIT,
        from: 'await meter.limiter.penalty(keyId)',
        to: `await meter.limiter.penalty(keyId, ${IS_OFF} ? 0 : 1)`,
      },
    ],
  },
  {
    name: 'long-session',
    what: 'A session lasts for a hundred days',
    patches: [
      {
        file: 'server/src/model/users.ts',
        from: 'SESSION_LIFETIME_MS = 7 *',
        to: 'SESSION_LIFETIME_MS = 100 *',
      },
    ],
  },
  {
    name: 'session-of-the-future',
    what: 'Who has signed in while the clock was ahead is out when it is right again',
    patches: [
      {
        file: 'server/src/http/identity/sessions.ts',
        from: 'if (response === null) return',
        to: 'if (response === null || response.session.createdAt.getTime() > Date.now() + 60_000) return',
      },
    ],
  },
  {
    name: 'year-remembered',
    what: 'Which year it is is looked up only when the clock was set, not when a year begins',
    patches: [
      {
        file: 'server/src/http/contract/schemas/listings.ts',
        from: '() => new Date().getUTCFullYear() + YEARS_AHEAD_MAX',
        to: `() => {
      const { memory = { offsetMs: Number.NaN, year: 0 } } = Object(Reflect.get(globalThis, 'lastYear'));
      const offsetMs = Date.now() - performance.now();
      if (!(Math.abs(offsetMs - memory.offsetMs) < 60_000)) memory.year = new Date().getUTCFullYear();
      Reflect.set(globalThis, 'lastYear', { memory: { ...memory, offsetMs } });
      return memory.year + YEARS_AHEAD_MAX;
    }`,
      },
    ],
  },
];
