import { useSyncExternalStore } from 'react';
import { ApiError, send } from '../api/client';

/** How long a deletion can be undone. */
const UNDO_MS = 8_000;

interface Deletion {
  id: string;
  name: string;
  path: string;
  /** Called with the error, if any. The item stays hidden until the promise resolves. */
  onEnd: (error: Error | undefined) => Promise<void>;
}

interface PendingDeletion extends Deletion {
  timer: ReturnType<typeof setTimeout>;
  /** Set once the request is sent: the deletion can no longer be undone. */
  ended?: Promise<void>;
}

/** Deletions that wait for their timer or for the response, by id. Their items are hidden. */
let pending: ReadonlyMap<string, PendingDeletion> = new Map();
const listeners = new Set<() => void>();

function change(edit: (map: Map<string, PendingDeletion>) => void): void {
  const next = new Map(pending);
  edit(next);
  pending = next;
  for (const listener of listeners) listener();
}

/** Deletes the item at `path` after `UNDO_MS`, or earlier if the page is closed. */
export function deleteLater(deletion: Deletion): void {
  const { id } = deletion;
  if (pending.has(id)) return;
  const timer = setTimeout(() => void carryOut(id), UNDO_MS);
  change((map) => map.set(id, { ...deletion, timer }));
}

export function undoDeletions(): void {
  for (const { id, timer } of waitingOf(pending)) {
    clearTimeout(timer);
    change((map) => map.delete(id));
  }
}

/** Sends all waiting deletions now. */
export async function finishDeletions(): Promise<void> {
  await Promise.all([...pending.keys()].map(carryOut));
}

/** Sends a deletion once, even if both the timer and closing the page trigger it. */
function carryOut(id: string): Promise<void> {
  const deletion = pending.get(id);
  if (deletion === undefined) return Promise.resolve();
  if (deletion.ended !== undefined) return deletion.ended;
  clearTimeout(deletion.timer);
  const ended = sendDeletion(deletion).then(() => change((map) => map.delete(id)));
  change((map) => map.set(id, { ...deletion, ended }));
  return ended;
}

async function sendDeletion({ path, onEnd }: Deletion): Promise<void> {
  const error = await send('DELETE', path, { keepalive: true }).then(
    () => undefined,
    (failure: Error) => failure,
  );
  const isGone = error instanceof ApiError && error.status === 404;
  await onEnd(isGone ? undefined : error);
}

export function useDeletions(): ReadonlyMap<string, Deletion> {
  return useSyncExternalStore(subscribe, () => pending);
}

export function useUndoableDeletions(): Deletion[] {
  return waitingOf(useSyncExternalStore(subscribe, () => pending));
}

function waitingOf(deletions: ReadonlyMap<string, PendingDeletion>): PendingDeletion[] {
  return [...deletions.values()].filter(({ ended }) => ended === undefined);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// `keepalive` requests outlive the page.
window.addEventListener('pagehide', () => void finishDeletions());
