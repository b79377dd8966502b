import { FairSemaphore } from '../../storage/fair-semaphore.ts';

/** The documented maximum of concurrent imports and feed runs of an account. */
export const UPLOADS_MAX = 4;
export type Permitted = 'upload' | 'whole file';

/** Gives a permit back. Later calls do nothing. */
export type Release = () => void;

export interface Permits {
  /** @returns undefined if all of the account's permits are in use */
  take(what: Permitted, accountId: string): Promise<Release | undefined>;
  /** Waits for a permit, first come, first served. @throws the reason of `signal` */
  wait(what: Permitted, accountId: string, signal: AbortSignal): Promise<Release>;
}

/**
 * Limits how many permits of each kind an account has at a time. With workers, the first process has these permits and
 * gives them out (`worker-permits.ts`), so the limits apply to all processes of a service on one machine.
 */
export class OwnPermits implements Permits {
  readonly #semaphores: Record<Permitted, FairSemaphore> = {
    upload: new FairSemaphore(Number.POSITIVE_INFINITY, UPLOADS_MAX),
    // Atomic imports, whose rows are kept until the import ends.
    'whole file': new FairSemaphore(Number.POSITIVE_INFINITY, 1),
  };

  async take(what: Permitted, accountId: string): Promise<Release | undefined> {
    return this.#semaphores[what].isFreeFor(accountId) ? this.wait(what, accountId) : undefined;
  }

  async wait(what: Permitted, accountId: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    const semaphore = this.#semaphores[what];
    await semaphore.acquire(accountId, { signal });
    let isHeld = true;
    return () => {
      if (isHeld) semaphore.release(accountId);
      isHeld = false;
    };
  }
}
