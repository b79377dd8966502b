import type { BaitKind } from './bait.ts';
import type { Sent } from './wire.ts';

/** A request with marks such as `<listingId>` for objects of another account. */
export interface Ask extends Sent {
  operation: string;
  place: string;
}

/** Builds an ask for one place of an operation. */
export type Make = (place: string, given: Partial<Ask>) => Ask;

export type KindsOf = (place: string) => readonly BaitKind[];
