/** The types of actors other than feeds. */
export const CHANGE_ACTOR_TYPES = ['key', 'user', 'operator', 'unknown'] as const;

/**
 * Who made a change, as recorded in the listing's history: an API key or a user with their name at that time, the
 * operator, or the run of a feed.
 */
export type ChangeActor =
  | { type: 'key' | 'user'; id: string; name: string }
  | { type: 'operator' | 'unknown'; id: null; name: string }
  | { type: 'feed'; name: string; runId: string };

export const OPERATOR_ACTOR: ChangeActor = { type: 'operator', id: null, name: 'Operator' };

/** For changes that earlier releases have made, and those that nobody will see. */
export const UNKNOWN_ACTOR: ChangeActor = { type: 'unknown', id: null, name: 'Unknown' };

/** What a version counts of an account's stored bytes, besides its document and changes: its row in the history. */
export const VERSION_BYTES = 100;

/** What a version counts of an account's stored bytes. Both parameters are JSON texts. */
export function countBytes(doc: string, changes: string | null): number {
  return Buffer.byteLength(doc) + Buffer.byteLength(changes ?? '') + VERSION_BYTES;
}
