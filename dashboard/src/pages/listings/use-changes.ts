import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect } from 'react';
import { request } from '../../api/client';
import { refreshListings } from '../../api/queries';
import type { EventList } from '../../api/types';

/** How long the service holds a request while there is no event. */
const WAIT_SECONDS = '25';
/** The least time between two reloads: an import makes thousands of events. */
const REFRESH_MS = 2_000;
/** The delay after a failure: the service may be restarting. */
const RETRY_MS = 3_000;

/**
 * Reloads the lists when there are events after `sequence`, and when the service is back after an outage.
 * @param isFailed whether the list could not be loaded
 */
export function useChanges(sequence: number | undefined, isFailed: boolean): void {
  // Browsers open few connections to a service, so hidden windows must not hold one.
  const isVisible = useDocumentVisibility() !== 'hidden';
  useEffect(() => {
    if (sequence === undefined || !isVisible) return;
    const stopped = new AbortController();
    void follow(sequence, isFailed, stopped.signal);
    return () => stopped.abort();
  }, [sequence, isFailed, isVisible]);
}

/** Ends when the signal is aborted: a reloaded list has another sequence. */
async function follow(sequence: number, isFailed: boolean, signal: AbortSignal): Promise<void> {
  let hasFailed = isFailed;
  while (!signal.aborted) {
    try {
      const query = { after: String(sequence), limit: '1', ...(!hasFailed && { wait: WAIT_SECONDS }) };
      const { data } = await request<EventList>('GET', '/admin/events', { query, signal });
      if (data.length === 0 && !hasFailed) continue;
      hasFailed = false;
      await pause(REFRESH_MS);
    } catch {
      hasFailed = true;
      await pause(RETRY_MS);
      continue;
    }
    if (!signal.aborted) await refreshListings();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
