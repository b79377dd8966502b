import type { BaitKind } from './bait.ts';
import type { Sent } from './wire.ts';

/** A request with marks such as `<listingId>` in the places of what is somebody else's. */
export interface Ask extends Sent {
  operation: string;
  /** Which place it is about. */
  place: string;
}

/** Makes an ask for an operation, about one place. */
export type Make = (place: string, given: Partial<Ask>) => Ask;

/** What is tried in a place. */
export type KindsOf = (place: string) => readonly BaitKind[];
