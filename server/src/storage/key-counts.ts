import { sql } from 'kysely';
import type { Taken } from '../lib/limiter.ts';
import { type KeyPrincipal, selectPrincipal } from './api-keys.ts';
import { type Counters, statement } from './database.ts';

/** The limiter that counts a key's requests: its name, and the length of its window. */
export interface KeyCount {
  name: string;
  durationMs: number;
}

interface CountParameters {
  hash: string;
  prefix: string;
  now: number;
  endTimeMs: number;
  latest: number;
}

/**
 * The clocks of other processes are assumed to be ahead by less than this. A window that ends even later than
 * such a clock allows began before a clock was set back.
 */
const AHEAD_MAX_MS = 60_000;

/** Adds a point to the row that the limiter's library would use, in the library's format, if the key is valid. */
const takePoint = statement<CountParameters, { points: number; expire: number }>((query, parameter) => {
  const isOver = sql`(rate_limits.expire <= ${parameter('now')} or rate_limits.expire > ${parameter('latest')})`;
  return query
    .insertInto('rate_limits')
    .columns(['key', 'points', 'expire'])
    .expression(({ selectFrom }) =>
      selectFrom('api_keys')
        .select([
          sql<string>`${parameter('prefix')} || id`.as('key'),
          sql<number>`1`.as('points'),
          parameter('endTimeMs').as('expire'),
        ])
        .where('hash', '=', parameter('hash'))
        .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', parameter('now'))])),
    )
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        points: sql`case when ${isOver} then 1 else rate_limits.points + 1 end`,
        expire: sql`case when ${isOver} then excluded.expire else rate_limits.expire end`,
      }),
    )
    .returning(['points', 'expire']);
});

/** Like `findKeyPrincipal`, but also takes a point; `taken` is undefined if that failed or the key is not valid. */
export async function findCountedKeyPrincipal(
  counters: Counters,
  hash: string,
  { name, durationMs }: KeyCount,
): Promise<{ principal: KeyPrincipal | undefined; taken: Taken | undefined }> {
  const now = Date.now();
  const endTimeMs = now + durationMs;
  const parameters = { hash, prefix: `${name}:`, now, endTimeMs, latest: endTimeMs + AHEAD_MAX_MS };
  const { rows, counted } = await counters.executeCounting(selectPrincipal, takePoint, parameters);
  const [count] = counted;
  return {
    principal: rows[0],
    taken: count && { consumedPoints: count.points, msBeforeNext: Math.max(count.expire - now, 0) },
  };
}
