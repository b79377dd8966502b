import { lazyRouteComponent } from '@tanstack/react-router';
import { UNREACHABLE, unreachable } from '../api/client';

/** The last file for which the page was loaded again. */
const RELOADED_FOR = 'property-listings.reloaded-for';

/** After an upgrade, an open page may request files that no longer exist. */
export function reloadForNewFiles(): void {
  window.addEventListener('vite:preloadError', async ({ payload: { message } }) => {
    if (sessionStorage.getItem(RELOADED_FOR) === message || !(await isReachable())) return;
    sessionStorage.setItem(RELOADED_FOR, message);
    window.location.reload();
  });
}

/** A page whose code is loaded when it is first opened. */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  const loadPage = async () => {
    try {
      return await load();
    } catch {
      // On the original error, the router would reload the page, even while the service is unreachable.
      throw unreachable(UNREACHABLE);
    }
  };
  return lazyRouteComponent(loadPage, name);
}

/** Reloads the page, since code that failed to load is not loaded again otherwise. */
export async function reloadIfReachable(): Promise<void> {
  if (await isReachable()) window.location.reload();
}

function isReachable(): Promise<boolean> {
  return fetch('/livez').then(
    ({ ok }) => ok,
    () => false,
  );
}
