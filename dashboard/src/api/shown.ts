import { useSyncExternalStore } from 'react';

/** Whom and which account this window shows. */
export interface Shown {
  userId: string;
  accountId: string;
}

let shown: Shown | undefined;
const listeners = new Set<() => void>();

/** From here on the window shows this; undefined: nobody is signed in, or belongs to no account. */
export function setShown(next: Shown | undefined): void {
  shown = next;
  for (const listener of listeners) listener();
}

export function getShown(): Shown | undefined {
  return shown;
}

export function useShown(): Shown | undefined {
  return useSyncExternalStore(onShown, getShown);
}

/**
 * What each request carries: all windows of a browser share the session, and another one may have changed its account.
 * Then the service does nothing.
 */
export function shownAccountHeader(): Record<string, string> {
  return shown === undefined ? {} : { 'X-Account-Id': shown.accountId };
}

/** Calls whenever a session begins in this window. */
export function onShown(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
