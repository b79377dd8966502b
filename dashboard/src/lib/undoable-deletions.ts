import { useSyncExternalStore } from 'react';
import { ApiError, send } from '../api/client';

/** How long a deletion can be undone. */
const UNDO_MS = 8_000;
/** How many requests of a deletion are sent at the same time, unless the page is being closed. */
const REQUESTS_MAX = 6;

interface Item {
  id: string;
  name: string;
  path: string;
}

interface Deletion {
  items: Item[];
  /** Called with the errors, if any. The items stay hidden until the promise resolves. */
  onEnd: (errors: Error[]) => Promise<void>;
}

interface PendingDeletion extends Deletion {
  timer: ReturnType<typeof setTimeout>;
  /** The items that are not sent yet. */
  unsent: Item[];
  senders: Promise<void>[];
  errors: Error[];
  /** Set once requests are sent: the deletion can no longer be undone. */
  ended?: Promise<void>;
}

/** Deletions that wait for their timer or for responses. Their items are hidden. */
let pending: readonly PendingDeletion[] = [];
let pendingItems: readonly Item[] = [];
let undoableItems: readonly Item[] = [];
const listeners = new Set<() => void>();

function change(next: readonly PendingDeletion[]): void {
  pending = next;
  pendingItems = pending.flatMap(({ items }) => items);
  undoableItems = pending.filter(({ ended }) => ended === undefined).flatMap(({ items }) => items);
  for (const listener of listeners) listener();
}

/** Deletes the items after `UNDO_MS`, or earlier if the page is closed. */
export function deleteLater({ items: given, onEnd }: Deletion): void {
  const items = given.filter(({ id }) => pendingItems.every((item) => item.id !== id));
  if (items.length === 0) return;
  const timer = setTimeout(() => void carryOut(deletion), UNDO_MS);
  const deletion: PendingDeletion = { items, onEnd, timer, unsent: [...items], senders: [], errors: [] };
  change([...pending, deletion]);
}

export function undoDeletions(): void {
  for (const { timer, ended } of pending) if (ended === undefined) clearTimeout(timer);
  change(pending.filter(({ ended }) => ended !== undefined));
}

/** Sends all waiting deletions now. */
export async function finishDeletions(): Promise<void> {
  await Promise.all([...pending].map((deletion) => carryOut(deletion, Number.POSITIVE_INFINITY)));
}

/** Sends each item once, even if both the timer and closing the page trigger it. */
function carryOut(deletion: PendingDeletion, requestsMax = REQUESTS_MAX): Promise<void> {
  clearTimeout(deletion.timer);
  const { length } = deletion.unsent;
  deletion.senders.push(...Array.from({ length: Math.min(requestsMax, length) }, () => sendItems(deletion)));
  deletion.ended ??= end(deletion);
  change([...pending]);
  return deletion.ended;
}

async function sendItems({ unsent, errors }: PendingDeletion): Promise<void> {
  for (let item = unsent.shift(); item !== undefined; item = unsent.shift()) {
    const error = await sendDeletion(item);
    if (error !== undefined) errors.push(error);
  }
}

async function end(deletion: PendingDeletion): Promise<void> {
  const { senders, errors, onEnd } = deletion;
  while (senders.length > 0) await Promise.all(senders.splice(0));
  await onEnd(errors);
  change(pending.filter((other) => other !== deletion));
}

async function sendDeletion({ path }: Item): Promise<Error | undefined> {
  try {
    await send('DELETE', path, { keepalive: true });
  } catch (error) {
    const isGone = error instanceof ApiError && error.status === 404;
    return isGone || !(error instanceof Error) ? undefined : error;
  }
  return undefined;
}

/** The items whose deletion has begun. */
export function useDeletedItems(): readonly Item[] {
  return useSyncExternalStore(subscribe, () => pendingItems);
}

export function useUndoableItems(): readonly Item[] {
  return useSyncExternalStore(subscribe, () => undoableItems);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// `keepalive` requests outlive the page.
window.addEventListener('pagehide', () => void finishDeletions());
