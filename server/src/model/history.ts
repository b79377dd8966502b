/** The types of actors other than feeds. */
export const CHANGE_ACTOR_TYPES = ['key', 'user', 'operator', 'unknown'] as const;

/** Who made a change, with the name at that time. A feed changes listings in its runs. */
export type ChangeActor =
  | { type: 'key' | 'user'; id: string; name: string }
  | { type: 'operator' | 'unknown'; id: null; name: string }
  | { type: 'feed'; name: string; runId: string };

export const OPERATOR_ACTOR: ChangeActor = { type: 'operator', id: null, name: 'Operator' };

/** For changes made by earlier releases, and for the changes of dry runs, which are never shown. */
export const UNKNOWN_ACTOR: ChangeActor = { type: 'unknown', id: null, name: 'Unknown' };

/** The bytes counted for a version's row in the history, in addition to its document and changes. */
export const VERSION_BYTES = 100;

/** The number of bytes that a version adds to an account's stored bytes. Both parameters are JSON strings. */
export function countBytes(doc: string, changes: string | null): number {
  return Buffer.byteLength(doc) + Buffer.byteLength(changes ?? '') + VERSION_BYTES;
}
