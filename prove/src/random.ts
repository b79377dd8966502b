import { mulberry32 } from '../../bench/src/listings.ts';

/** Choices that are the same for the same seed. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 to `max`. */
  upTo(max: number): number;
  pick<T>(values: readonly T[]): T;
  bytes(length: number): Buffer;
}

const BYTE_MAX = 255;

export function createRandom(seed: number): Random {
  const next = mulberry32(seed);
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
