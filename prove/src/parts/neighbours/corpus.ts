import type { Member } from './member.ts';
import { reads } from './reads.ts';
import { uploads } from './uploads.ts';
import { visitors } from './visitors.ts';
import { writes } from './writes.ts';

/** Attacks that enlarge the account come last. */
export const corpus: readonly Member[] = [...reads, ...visitors, ...writes, ...uploads];
