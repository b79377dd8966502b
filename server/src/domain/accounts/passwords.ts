import { type Argon2Parameters, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashArgon2id } from '../../lib/argon2.ts';
import { AppError } from '../../model/errors.ts';
import { normalPassword } from '../../model/passwords.ts';
import { FairSemaphore } from '../../storage/fair-semaphore.ts';

/**
 * OWASP's Password Storage Cheat Sheet recommends argon2id with 19 MiB of memory, 2 passes, and 1 thread.
 * Computing a hash takes about 70 ms.
 */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const PARALLELISM = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Argon2's PHC string format. A hash contains its parameters, so it stays valid when those above change. */
const ENCODED = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const cost = { memory: MEMORY_KIB, passes: PASSES, parallelism: PARALLELISM };
  const tag = await derive(password, nonce, cost, HASH_BYTES);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${encode(nonce)}$${encode(tag)}`;
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = ENCODED.exec(stored) ?? [];
  if (memory === undefined) return false;
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const expected = Buffer.from(tag, 'base64');
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), cost, expected.length), expected);
}

type Cost = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'>;

function derive(password: string, nonce: Buffer, cost: Cost, tagLength: number): Promise<Buffer> {
  return hashArgon2id({ message: normalPassword(password), nonce, tagLength, ...cost });
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

/** Maximum number of waiting calls, which is about a second of work. Further calls are rejected. */
const WAITING_MAX = 16;

const hashing = new FairSemaphore(1);
/** The call that is hashing, and those that wait. */
let calls = 0;

/** Runs `work` once all earlier calls have finished. @throws {AppError} `rate_limited`, or what `work` throws */
export async function withHashing<T>(work: () => Promise<T>): Promise<T> {
  if (calls > WAITING_MAX) {
    throw new AppError('rate_limited', 'Too many users are signing in; try again in a second.', {
      headers: { 'Retry-After': '1' },
    });
  }
  calls += 1;
  try {
    return await hashing.run('', work);
  } finally {
    calls -= 1;
  }
}
