import { useSyncExternalStore } from 'react';
import { send } from '../api/client';

/** So long a deletion can be taken back. */
export const UNDO_MS = 8_000;

interface Deletion {
  path: string;
  timer: ReturnType<typeof setTimeout>;
  /** Told how it ended, undefined when it is done; until this resolves it is not shown again. */
  onEnd: (error: unknown) => Promise<void>;
}

/** Deletions that wait for their time, by id: what is in here is shown as gone already. */
let waiting: ReadonlyMap<string, Deletion> = new Map();
const listeners = new Set<() => void>();

function change(edit: (map: Map<string, Deletion>) => void): void {
  const next = new Map(waiting);
  edit(next);
  waiting = next;
  for (const listener of listeners) listener();
}

/** Deletes what is at `path` after eight seconds, or when the page is left before. */
export function deleteLater(id: string, path: string, onEnd: Deletion['onEnd']): void {
  const timer = setTimeout(() => void carryOut(id), UNDO_MS);
  change((map) => map.set(id, { path, timer, onEnd }));
}

export function undoDeletion(id: string): void {
  clearTimeout(waiting.get(id)?.timer);
  change((map) => map.delete(id));
}

/** Does what still waits, at once; resolves when all of it is done. */
export async function finishDeletions(): Promise<void> {
  await Promise.all([...waiting.keys()].map(carryOut));
}

async function carryOut(id: string): Promise<void> {
  const deletion = waiting.get(id);
  if (deletion === undefined) return;
  clearTimeout(deletion.timer);
  const error = await send('DELETE', deletion.path, { keepalive: true }).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  await deletion.onEnd(error);
  change((map) => map.delete(id));
}

/** The ids of what is about to be deleted. */
export function useDeletions(): ReadonlyMap<string, unknown> {
  return useSyncExternalStore(subscribe, () => waiting);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Requests that are marked `keepalive` are sent although the page goes.
window.addEventListener('pagehide', () => void finishDeletions());
