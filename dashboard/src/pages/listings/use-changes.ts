import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect } from 'react';
import type { EventList } from '../../api/admin';
import { ApiError, request } from '../../api/client';
import { refreshListings } from '../../api/queries';

/** How long a long poll waits for an event. */
const WAIT_SECONDS = '25';
/** The minimum time between two reloads, because an import causes thousands of events. */
const REFRESH_MS = 2_000;
/** The delay after a failure, because the service may be restarting. */
const RETRY_MS = 3_000;

/**
 * Reloads the lists when there is an event after `sequence`, when the service is available again after an
 * outage, and when the events after `sequence` are not available, for example after a restore.
 * @param isFailed whether the list could not be loaded
 */
export function useChanges(sequence: number | undefined, isFailed: boolean): void {
  // Browsers limit the connections to a service, so a hidden window must not keep one open.
  const isVisible = useDocumentVisibility() !== 'hidden';
  useEffect(() => {
    if (sequence === undefined || !isVisible) return;
    const stopped = new AbortController();
    void follow(sequence, isFailed, stopped.signal);
    return () => stopped.abort();
  }, [sequence, isFailed, isVisible]);
}

/**
 * Waits for changes until the signal is aborted, for example because the list was reloaded and has another
 * sequence.
 */
async function follow(sequence: number, isFailed: boolean, signal: AbortSignal): Promise<void> {
  let hasFailed = isFailed;
  while (!signal.aborted) {
    try {
      const query = { after: String(sequence), limit: '1', ...(!hasFailed && { wait: WAIT_SECONDS }) };
      const { data } = await request<EventList>('GET', '/admin/events', { query, signal });
      if (data.length === 0 && !hasFailed) continue;
      hasFailed = false;
      await pause(REFRESH_MS);
    } catch (error) {
      hasFailed = !(error instanceof ApiError && error.code === 'events_expired');
      await pause(RETRY_MS);
      if (hasFailed) continue;
    }
    if (!signal.aborted) await refreshListings();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
