import { useSyncExternalStore } from 'react';

/** The user and account that this window shows. */
export interface Shown {
  userId: string;
  accountId: string;
}

let shown: Shown | undefined;
const listeners = new Set<() => void>();

/** Sets the user and account that this window shows; undefined if the user is signed out or has no account. */
export function setShown(next: Shown | undefined): void {
  shown = next;
  for (const listener of listeners) listener();
}

export function getShown(): Shown | undefined {
  return shown;
}

export function isShown(owner: Shown | undefined): boolean {
  return shown?.userId === owner?.userId && shown?.accountId === owner?.accountId;
}

export function useShown(): Shown | undefined {
  return useSyncExternalStore(onShown, getShown);
}

/**
 * The header to send with each request. The service rejects the request if another window, which shares the
 * session, has switched to another account.
 */
export function shownAccountHeader(): Record<string, string> {
  return shown === undefined ? {} : { 'X-Account-Id': shown.accountId };
}

/** Calls the listener whenever the user or account that this window shows changes. */
export function onShown(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
