import type { Part } from './part.ts';

/** In the order in which they are tried and told. */
export const parts: readonly Part[] = [];
