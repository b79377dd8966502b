import { useEffect, useState } from 'react';
import { ACCOUNT_CHANGED, ApiError } from '../api/client';
import { sayFault } from './fault-words';

/** For errors that are ours, not the service's. */
export const BROKEN_PAGE = 'Something went wrong in this page. Reload it to go on.';

/** What the service said of a form: field → its words, and words about the rest. */
export interface Faults {
  fields: Record<string, string>;
  general: string | undefined;
}

/** A form that is sent: what is wrong with it, and whether it is on its way. */
export type Sending = ReturnType<typeof useFaults>;

const SEND_AGAIN = 'Nothing was saved: the account had been changed in another window. Send it again.';
const NONE: Faults = { fields: {}, general: undefined };

/** Sends a form and keeps what the service found wrong with it, until it is sent again. */
export function useFaults(knownFields: (field: string) => boolean, say = sayFault) {
  const [faults, setFaults] = useState(NONE);
  const [isBusy, setBusy] = useState(false);
  // Once the messages are on the page.
  useEffect(() => {
    if (Object.keys(faults.fields).length > 0) focusFirstFault();
  }, [faults]);

  async function submit(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setFaults(NONE);
    try {
      await work();
    } catch (error) {
      setFaults(toFaults(error, knownFields, say));
    } finally {
      setBusy(false);
    }
  }

  return { faults, isBusy, submit, clear: () => setFaults(NONE) };
}

export function toFaults(error: unknown, isKnown = (_field: string) => false, say = sayFault): Faults {
  if (!(error instanceof ApiError)) {
    reportError(error);
    return { fields: {}, general: BROKEN_PAGE };
  }
  const { details, message } = error;
  // The frame asks where to go on; what was typed stays, to be sent again.
  if (error.code === ACCOUNT_CHANGED) return { fields: {}, general: SEND_AGAIN };
  if (details.length === 0) return { fields: {}, general: message };
  const shown = details.filter(({ field }) => isKnown(field));
  const others = details.filter(({ field }) => !isKnown(field));
  return {
    fields: Object.fromEntries(shown.map((fault) => [fault.field, say(fault)])),
    general: others.length === 0 ? undefined : others.map((fault) => `${fault.field}: ${say(fault)}`).join(' '),
  };
}

/** The keyboard is where the first fault is. */
function focusFirstFault(): void {
  document.querySelector<HTMLElement>(':is(input, select, textarea)[aria-invalid="true"]')?.focus();
}
