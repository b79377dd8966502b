import { randomBytes, randomFillSync } from 'node:crypto';

/** Crockford's base32 in lower case: its byte order is its numeric order. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 10;
export const RANDOM_LENGTH = 16;

/** Random bytes for many ids. Generating them separately for each id would take ten times as long. */
const randomness = Buffer.alloc(RANDOM_LENGTH * 256);
let randomnessUsed = randomness.length;

let lastTimeMs = 0;
let timePart = '';
let randomPart: number[] = [];

/**
 * Creates an id of `prefix`, `_`, and 26 characters: 48 bits of time in milliseconds and 79 random bits. Ids
 * increase strictly within the process: if the time has not advanced, the random part is incremented.
 * @param after an id with the same prefix, perhaps from another process; the new id sorts after it
 */
export function createId(prefix: string, after = ''): string {
  const nowMs = Date.now();
  if (nowMs > lastTimeMs) {
    lastTimeMs = nowMs;
    timePart = encodeTime(nowMs);
    randomPart = Array.from(freshRandomness(), (byte) => byte & 31);
    // Leaves room to increment without overflow.
    randomPart[0] = (randomPart[0] ?? 0) & 15;
  } else {
    increment(randomPart);
  }
  const id = `${prefix}_${timePart}${randomPart.map((digit) => ALPHABET[digit]).join('')}`;
  return id > after ? id : createIdAfter(after);
}

/** Increments `after`, which another process created in the same millisecond, or with a clock that is ahead. */
function createIdAfter(after: string): string {
  const prefixLength = after.length - RANDOM_LENGTH;
  const digits = Array.from(after.slice(prefixLength), (character) => ALPHABET.indexOf(character));
  increment(digits);
  return after.slice(0, prefixLength) + digits.map((digit) => ALPHABET[digit]).join('');
}

function freshRandomness(): Buffer {
  if (randomnessUsed === randomness.length) {
    randomFillSync(randomness);
    randomnessUsed = 0;
  }
  randomnessUsed += RANDOM_LENGTH;
  return randomness.subarray(randomnessUsed - RANDOM_LENGTH, randomnessUsed);
}

/** A prefix that sorts before all ids created since this time (UTC milliseconds). Times before 1970 count as 1970. */
export function firstIdAt(prefix: string, timeMs: number): string {
  return `${prefix}_${encodeTime(Math.max(0, timeMs))}`;
}

/** The time in an id (UTC milliseconds). */
export function timeOfId(id: string): number {
  let timeMs = 0;
  for (const digit of id.slice(-TIME_LENGTH - RANDOM_LENGTH, -RANDOM_LENGTH))
    timeMs = timeMs * 32 + ALPHABET.indexOf(digit);
  return timeMs;
}

export function randomWord(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte & 31]).join('');
}

function encodeTime(timeMs: number): string {
  let rest = timeMs;
  let encoded = '';
  for (let index = 0; index < TIME_LENGTH; index += 1) {
    encoded = ALPHABET[rest % 32] + encoded;
    rest = Math.floor(rest / 32);
  }
  return encoded;
}

function increment(digits: number[]): void {
  for (let index = digits.length - 1; index >= 0; index -= 1) {
    const digit = digits[index] ?? 0;
    if (digit < 31) {
      digits[index] = digit + 1;
      return;
    }
    digits[index] = 0;
  }
}
