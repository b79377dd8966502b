import { useSyncExternalStore } from 'react';
import { ApiError, send } from '../api/client';

/** So long a deletion can be taken back. */
const UNDO_MS = 8_000;

interface Deletion {
  id: string;
  name: string;
  path: string;
  /** Told how it ended, undefined when it is done; until this resolves it is not shown again. */
  onEnd: (error: Error | undefined) => Promise<void>;
}

interface PendingDeletion extends Deletion {
  timer: ReturnType<typeof setTimeout>;
  /** Once it is sent: when it has ended. From then on it cannot be taken back. */
  ended?: Promise<void>;
}

/** Deletions that wait for their time or for the reply, by id: what is in here is shown as gone already. */
let pending: ReadonlyMap<string, PendingDeletion> = new Map();
const listeners = new Set<() => void>();

function change(edit: (map: Map<string, PendingDeletion>) => void): void {
  const next = new Map(pending);
  edit(next);
  pending = next;
  for (const listener of listeners) listener();
}

/** Deletes what is at `path` after eight seconds, or when the page is left before. */
export function deleteLater(deletion: Deletion): void {
  const { id } = deletion;
  if (pending.has(id)) return;
  const timer = setTimeout(() => void carryOut(id), UNDO_MS);
  change((map) => map.set(id, { ...deletion, timer }));
}

/** Takes back whatever was not sent yet. */
export function undoDeletions(): void {
  for (const { id, timer } of waitingOf(pending)) {
    clearTimeout(timer);
    change((map) => map.delete(id));
  }
}

/** Does what still waits, at once; resolves when all of it is done. */
export async function finishDeletions(): Promise<void> {
  await Promise.all([...pending.keys()].map(carryOut));
}

/** The timer and whoever leaves the page may both ask for it: it is sent once. */
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
  // Somebody else was faster: it is gone.
  const isGone = error instanceof ApiError && error.status === 404;
  await onEnd(isGone ? undefined : error);
}

/** The ids of what is about to be deleted. */
export function useDeletions(): ReadonlyMap<string, Deletion> {
  return useSyncExternalStore(subscribe, () => pending);
}

/** What can still be taken back. */
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

// Requests that are marked `keepalive` are sent although the page goes.
window.addEventListener('pagehide', () => void finishDeletions());
