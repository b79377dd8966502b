import { lazyRouteComponent } from '@tanstack/react-router';
import { UNREACHABLE, unreachable } from '../api/client';

/**
 * The storage key for the error message of the last file that could not be loaded. The page reloads only once
 * for each message.
 */
const RELOADED_FOR = 'property-listings.reloaded-for';

/**
 * Reloads the page if one of its files cannot be loaded: after an upgrade, an open page may request files
 * that no longer exist.
 */
export function reloadForNewFiles(): void {
  window.addEventListener('vite:preloadError', async ({ payload: { message } }) => {
    if (sessionStorage.getItem(RELOADED_FOR) === message || !(await isReachable())) return;
    sessionStorage.setItem(RELOADED_FOR, message);
    window.location.reload();
  });
}

/** Creates a page whose code is loaded when the page is first opened. */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  const loadPage = async () => {
    try {
      return await load();
    } catch {
      // Replace the original error, because it would make the router reload the page even while the service
      // is unreachable.
      throw unreachable(UNREACHABLE);
    }
  };
  return lazyRouteComponent(loadPage, name);
}

/** Reloads the page if the service is reachable, because code that failed to load would not be requested again. */
export async function reloadIfReachable(): Promise<void> {
  if (await isReachable()) window.location.reload();
}

function isReachable(): Promise<boolean> {
  return fetch('/livez').then(
    ({ ok }) => ok,
    () => false,
  );
}
