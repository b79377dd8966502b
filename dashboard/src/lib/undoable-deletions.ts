import { useSyncExternalStore } from 'react';
import { request } from '../api/client';

/** How long the user can undo a deletion. */
const UNDO_MS = 8_000;
/** The number of listings in a request, which is the service's maximum. */
const BATCH_LENGTH = 400;
/** How many requests of a deletion are sent at the same time, unless the user closes the page or leaves the account. */
const REQUESTS_MAX = 2;
/**
 * The number of listings that can be sent while the page is being closed. During that time, browsers complete
 * only a few requests, with 64 KiB in total.
 */
const SENT_ON_CLOSE_MAX = 4 * BATCH_LENGTH;

/** A listing to delete. Its address is shown if no other listing is deleted with it. */
export interface Deletable {
  id: string;
  address?: string;
}

/** How many listings were in failed requests, and the first error message. */
interface FailedDeletions {
  count: number;
  message: string;
}

interface Deletion {
  items: Deletable[];
  /** Called when all requests are done. The items stay hidden until the promise resolves. */
  onEnd: (failed: FailedDeletions | undefined) => Promise<void>;
}

interface PendingDeletion extends Deletion {
  timer: ReturnType<typeof setTimeout>;
  /** The ids that have not been sent yet. */
  unsent: string[];
  senders: Promise<void>[];
  failed?: FailedDeletions;
  /** Set once requests are sent, when the deletion can no longer be undone. */
  ended?: Promise<void>;
}

/** Deletions that wait for their timer or for responses. Their items are hidden. */
let pending: readonly PendingDeletion[] = [];
let undoableItems: readonly Deletable[] = [];
let pendingIds: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function change(next: readonly PendingDeletion[]): void {
  pending = next;
  pendingIds = new Set(pending.flatMap(({ items }) => items.map(({ id }) => id)));
  undoableItems = pending.filter(({ ended }) => ended === undefined).flatMap(({ items }) => items);
  guardUnsent();
  for (const listener of listeners) listener();
}

/** Makes the browser warn the user before the page is closed if more ids are unsent than can be sent at that time. */
function guardUnsent(): void {
  const unsent = pending.reduce((sum, deletion) => sum + deletion.unsent.length, 0);
  if (unsent > SENT_ON_CLOSE_MAX) window.addEventListener('beforeunload', askBeforeLeaving);
  else window.removeEventListener('beforeunload', askBeforeLeaving);
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Deletes the items after `UNDO_MS`, or earlier if the user closes the page or leaves the account. */
export function deleteLater({ items: given, onEnd }: Deletion): void {
  const items = given.filter(({ id }) => !pendingIds.has(id));
  if (items.length === 0) return;
  const timer = setTimeout(() => void carryOut(deletion), UNDO_MS);
  const deletion: PendingDeletion = { items, onEnd, timer, unsent: items.map(({ id }) => id), senders: [] };
  change([...pending, deletion]);
}

export function undoDeletions(): void {
  for (const { timer, ended } of pending) if (ended === undefined) clearTimeout(timer);
  change(pending.filter(({ ended }) => ended !== undefined));
}

/** Sends all pending deletions now, and waits until they end. */
export async function finishDeletions(): Promise<void> {
  await Promise.all([...pending].map((deletion) => carryOut(deletion, Number.POSITIVE_INFINITY)));
}

/**
 * Sends the unsent ids. Each id is sent only once, even if both the timer and the closing of the page call
 * this function.
 */
function carryOut(deletion: PendingDeletion, requestsMax = REQUESTS_MAX): Promise<void> {
  clearTimeout(deletion.timer);
  const requests = Math.ceil(deletion.unsent.length / BATCH_LENGTH);
  deletion.senders.push(...Array.from({ length: Math.min(requestsMax, requests) }, () => sendBatches(deletion)));
  deletion.ended ??= end(deletion);
  change([...pending]);
  return deletion.ended;
}

async function sendBatches(deletion: PendingDeletion): Promise<void> {
  while (deletion.unsent.length > 0) {
    const ids = deletion.unsent.splice(0, BATCH_LENGTH);
    try {
      // The service ignores ids of listings that are already gone.
      await request('POST', '/admin/listings/deletions', { body: { ids }, keepalive: true });
    } catch (error) {
      const { count = 0, message } = deletion.failed ?? {};
      const failure = error instanceof Error ? error.message : String(error);
      deletion.failed = { count: count + ids.length, message: message ?? failure };
    }
    guardUnsent();
  }
}

async function end(deletion: PendingDeletion): Promise<void> {
  const { senders, onEnd } = deletion;
  while (senders.length > 0) await Promise.all(senders.splice(0));
  await onEnd(deletion.failed);
  change(pending.filter((other) => other !== deletion));
}

/** The ids of all pending deletions, including those that the user can still undo. */
export function useDeletedIds(): ReadonlySet<string> {
  return useSyncExternalStore(subscribe, () => pendingIds);
}

export function useUndoableItems(): readonly Deletable[] {
  return useSyncExternalStore(subscribe, () => undoableItems);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// The requests are sent with `keepalive`, so the browser completes them after the page is closed.
window.addEventListener('pagehide', () => void finishDeletions());
