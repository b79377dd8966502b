import { generator } from './random-json.ts';

/** Random choices that repeat with the same seed. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns an integer from 0 to `max`, inclusive. */
  upTo(max: number): number;
  pick<T>(values: readonly T[]): T;
  bytes(length: number): Buffer;
}

const BYTE_MAX = 255;

export function createRandom(seed: number): Random {
  const next = generator(seed);
  const upTo = (max: number): number => Math.floor(next() * (max + 1));
  return {
    next,
    upTo,
    pick(values) {
      const value = values[upTo(values.length - 1)];
      if (value === undefined) throw new Error('nothing to choose from');
      return value;
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => upTo(BYTE_MAX))),
  };
}
