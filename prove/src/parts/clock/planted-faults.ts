import type { PlantedFault } from '../../part.ts';

/** In the service: whether its clock is more than an hour off. */
const IS_OFF = 'Math.abs(Date.now() - performance.timeOrigin - performance.now()) > 3_600_000';

export const plantedFaults: readonly PlantedFault[] = [
  {
    what: 'An id begins with the time, also when that is before the last one',
    foundBy: 'does not come after',
    patches: [['createId', 'nowMs > lastTimeMs', 'nowMs !== lastTimeMs']],
  },
  {
    what: 'A cursor is good for a day',
    foundBy: 'a cursor is refused',
    patches: [['CursorCodec.encode', 'scope) +', 'scope + new Date().toDateString()) +']],
  },
  {
    what: 'The expiry of a key is compared with the start of the process',
    foundBy: 'a key that is good until',
    patches: [['authenticate', 'Date.now()', 'performance.timeOrigin']],
  },
  {
    what: 'A request is done again when the clock was set to another day before it is sent again',
    foundBy: 'a retry is done again',
    patches: [['findLiveRecord', '|| hasClockJumped()', '']],
  },
  {
    what: 'Records that look old while the clock is ahead are removed',
    foundBy: 'a session that was begun when the clock was',
    patches: [['scheduleHousekeeping', 'hasClockJumped()', 'false']],
  },
  {
    what: 'Events that look old while the clock is ahead are removed',
    foundBy: 'events are gone',
    patches: [
      [
        'scheduleHousekeeping',
        "purge('events',",
        "((what, intervalMs, work) => schedule(what, intervalMs, work, logger))('events',",
      ],
    ],
  },
  {
    what: 'Retry-After lasts until the clock catches up',
    foundBy: 'a key is to wait for',
    patches: [['waitMsOf', ', duration * 1000', '']],
  },
  {
    what: 'A user who entered a code while the clock was ahead is locked out until the clock catches up',
    foundBy: 'a right code is refused',
    patches: [['useTotpStep', "where('last_step', '>', parameter('latest')),", '']],
  },
  {
    what: 'A listing is updated before it was created when the clock was set back',
    foundBy: 'was updated before that',
    patches: [['makeChanged', 'now < createdAt', 'false']],
  },
  {
    what: 'A key has no rate limit while the clock is more than an hour off',
    foundBy: 'a used-up key is let in',
    patches: [['RateLimit.spend', 'if (counted.consumedPoints', `if (${IS_OFF} || counted.consumedPoints`]],
  },
  {
    what: 'The use of a key is not counted while the clock is more than an hour off',
    foundBy: 'two requests in a row leave',
    patches: [['RateLimit.spend', 'penalty(keyId', `penalty(keyId, ${IS_OFF} ? 0 : 1`]],
  },
  {
    what: 'A session lasts for a hundred days',
    foundBy: 'a session that was begun when the clock was',
    patches: [['SESSION_LIFETIME_MS', '7 *', '100 *']],
  },
  {
    what: 'A session that began while the clock was ahead ends when the clock is corrected',
    foundBy: 'a session that was begun when the clock was',
    patches: [
      [
        'readSession',
        'response === null',
        'response === null || response.session.createdAt.getTime() > Date.now() + 60_000',
      ],
    ],
  },
  {
    what: 'The current year is updated only when the clock is set, not when a year begins',
    foundBy: ': yearBuilt ',
    patches: [
      [
        'listingFields',
        'new Date().getUTCFullYear()',
        `(() => {
          const { memory = { offsetMs: Number.NaN, year: 0 } } = Object(Reflect.get(globalThis, 'lastYear'));
          const offsetMs = Date.now() - performance.now();
          if (!(Math.abs(offsetMs - memory.offsetMs) < 60_000)) memory.year = new Date().getUTCFullYear();
          Reflect.set(globalThis, 'lastYear', { memory: { ...memory, offsetMs } });
          return memory.year;
        })()`,
      ],
    ],
  },
];
