import { randomInt } from 'node:crypto';

const CAPACITY_FIRST = 1024;
/** Limits the cost of strings that an attacker chose so that their hashes collide. */
const PROBES_MAX = 64;
const HASH_MAX = 2 ** 32;

/** A set that stores only 53-bit hashes of strings. The probability that two of a million collide is 0.006%. */
export class HashSet {
  readonly #sizeMax: number;
  readonly #seed = randomInt(HASH_MAX);
  #hashes = new Float64Array(CAPACITY_FIRST);
  #size = 0;

  /** @param sizeMax the maximum number of strings; further strings are not kept */
  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  /** Adds a string. @returns false if it is already there */
  add(text: string): boolean {
    const hash = hashText(text, this.#seed);
    const slot = findSlot(this.#hashes, hash);
    if (slot === undefined) return true;
    if (this.#hashes[slot] === hash) return false;
    if (this.#size >= this.#sizeMax) return true;
    this.#hashes[slot] = hash;
    this.#size += 1;
    if (this.#size * 2 > this.#hashes.length) this.#grow();
    return true;
  }

  has(text: string): boolean {
    const hash = hashText(text, this.#seed);
    const slot = findSlot(this.#hashes, hash);
    return slot !== undefined && this.#hashes[slot] === hash;
  }

  clear(): void {
    this.#replace(new Float64Array(CAPACITY_FIRST));
    this.#size = 0;
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#hashes.length);
    for (const hash of this.#hashes) {
      const slot = hash === 0 ? undefined : findSlot(larger, hash);
      if (slot !== undefined) larger[slot] = hash;
    }
    this.#replace(larger);
  }

  /** Frees the memory of the previous table now instead of at the next full garbage collection. */
  #replace(hashes: Float64Array<ArrayBuffer>): void {
    this.#hashes.buffer.transfer(0);
    this.#hashes = hashes;
  }
}

/** The slot that contains the hash, or a free slot, which contains 0; undefined if neither is nearby. */
function findSlot(hashes: Float64Array, hash: number): number | undefined {
  for (let probe = 0; probe < PROBES_MAX; probe += 1) {
    const slot = (hash + probe) % hashes.length;
    if (hashes[slot] === 0 || hashes[slot] === hash) return slot;
  }
  return undefined;
}

/** 53 bits of two multiplicative hashes (cyrb53, public domain), never 0. */
function hashText(text: string, seed: number): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return HASH_MAX * (low & 0x1fffff) + (high >>> 0) || 1;
}
