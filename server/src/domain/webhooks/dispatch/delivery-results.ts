import { trustedNow } from '../../../lib/clock.ts';
import { type Delivery, FAILING_MAX_MS } from '../../../model/webhooks.ts';
import type { Database } from '../../../storage/database.ts';
import { putDeliveries, trimDeliveries } from '../../../storage/webhook-deliveries.ts';
import { type Advance, advanceWebhook, type ClaimedWebhook } from '../../../storage/webhooks.ts';
import { SERVICE } from '../../access/audit.ts';
import { audit } from '../webhooks.ts';
import type { Entry } from './endpoint-queue.ts';

/** All endpoints store their results at the same moments, at this interval, so they can share commits. */
const FLUSH_MS = 200;
/** How often to store a position that has only moved past events that the endpoint's filter excludes. */
const POSITION_MS = 5_000;
const UNSTORED_MAX = 256;
/** Number of settled deliveries kept in each state. Older ones are removed after about `TRIM_EVERY` results. */
const KEPT_MAX = 1_000;
const TRIM_EVERY = 250;

/** Why an endpoint must be read again, or why nothing more is sent to it. */
export type EndReason = 'changed' | 'disabled' | Error;

export interface ResultsOwner {
  readonly accountId: string;
  readonly webhook: ClaimedWebhook;
  /** The endpoint's progress, which is stored with the results. */
  readonly progress: Pick<Advance, 'position' | 'pending' | 'failingSince'>;
  /** Called after each attempt to store results. */
  onStored(): void;
  end(why: EndReason): void;
}

/** Stores the results of an endpoint's deliveries together with the endpoint's position. */
export class DeliveryResults {
  readonly #owner: ResultsOwner;
  readonly #database: Database;
  /** The id of this process, which holds the lease. */
  readonly #process: string;
  #unstored: Delivery[] = [];
  #storing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #storedPosition: number;
  #positionMs = performance.now();
  #sinceTrim = TRIM_EVERY;
  #isClosed = false;

  constructor(owner: ResultsOwner, database: Database, process: string) {
    this.#owner = owner;
    this.#database = database;
    this.#process = process;
    this.#storedPosition = owner.webhook.position;
  }

  /** Whether new attempts must wait until some results are stored. */
  get isFull(): boolean {
    return this.#unstored.length >= UNSTORED_MAX;
  }

  /** Whether to store results now, without waiting for the timer. */
  get isDue(): boolean {
    return this.#unstored.length >= UNSTORED_MAX / 2 || this.isPositionDue;
  }

  get isPositionDue(): boolean {
    return performance.now() - this.#positionMs > POSITION_MS && this.#owner.progress.position > this.#storedPosition;
  }

  add(delivery: Delivery): void {
    this.#unstored.push(delivery);
    if (this.#unstored.length === 1) this.#setTimer();
  }

  /** Stores the results so far. Does not wait for an event-loop turn, so endpoints can share a commit. */
  store(): Promise<void> {
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = undefined;
      if (this.#isClosed) return;
      if (this.#unstored.length > 0) this.#setTimer();
      this.#owner.onStored();
    });
    return this.#storing;
  }

  /** After this, only `finish` stores results. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async finish(): Promise<void> {
    await this.#storing?.catch(() => {});
    await this.store().catch(() => {});
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.store().catch((error: unknown) => this.#owner.end(toError(error))),
      Math.ceil(FLUSH_MS - (performance.now() % FLUSH_MS)),
    );
  }

  async #storeAll(): Promise<void> {
    // The latest row of a delivery replaces earlier ones.
    const rows = new Map(this.#unstored.map((row) => [`${row.epoch} ${row.sequence}`, row]));
    this.#unstored = [];
    clearTimeout(this.#timer);
    const { progress } = this.#owner;
    if (rows.size === 0 && progress.position === this.#storedPosition) return;
    // A failed first attempt must not disable the endpoint: it can be the first request after days without events.
    const hasFailed = rows
      .values()
      .some(({ lastAt, state, attempts }) => lastAt !== null && state !== 'delivered' && attempts > 1);
    const { failingSince } = progress;
    const now = trustedNow();
    const hasFailedForDays = failingSince !== null && now !== undefined && now - failingSince >= FAILING_MAX_MS;
    const isDisabled = hasFailed && hasFailedForDays;
    this.#sinceTrim += rows.size;
    const isStored = await this.#write([...rows.values()], progress, isDisabled).catch((error: unknown) => {
      // The position must not be stored without these results.
      this.#unstored.unshift(...rows.values());
      throw error;
    });
    if (!isStored) return this.#owner.end('changed');
    if (this.#sinceTrim >= TRIM_EVERY) this.#sinceTrim = 0;
    this.#storedPosition = progress.position;
    this.#positionMs = performance.now();
    if (isDisabled) this.#owner.end('disabled');
  }

  /** @returns false, without any change, if this process can no longer advance the endpoint's position */
  #write(
    rows: readonly Delivery[],
    { position, pending, failingSince }: ResultsOwner['progress'],
    isDisabled: boolean,
  ): Promise<boolean> {
    const { accountId, webhook } = this.#owner;
    const { id, revision } = webhook;
    const disabledAt = isDisabled ? Date.now() : null;
    const enabled = isDisabled ? 0 : 1;
    const from = this.#storedPosition;
    const isTrimmed = this.#sinceTrim >= TRIM_EVERY;
    return this.#database.write(async (transaction) => {
      const values = [position, pending, failingSince, disabledAt, enabled, from, revision, this.#process] as const;
      if (!(await advanceWebhook(transaction, accountId, id, ...values))) return false;
      await putDeliveries(transaction, accountId, id, rows);
      if (isTrimmed)
        for (const state of ['delivered', 'failed', 'expired'] as const)
          await trimDeliveries(transaction, accountId, id, state, KEPT_MAX);
      if (isDisabled) await audit(transaction, accountId, SERVICE, 'webhook.disabled', webhook);
      return true;
    }, accountId);
  }
}

type DeliveredEntry = Pick<Entry, 'sequence' | 'epoch' | 'attempts' | 'nextAt'> & Pick<Delivery, 'type' | 'listingId'>;

/** Makes the delivery of an event, without the result of an attempt. */
export function deliveryOf(entry: DeliveredEntry, state: Delivery['state']): Delivery {
  const { sequence, epoch, type, listingId, attempts, nextAt } = entry;
  return {
    sequence,
    epoch,
    state,
    lastSequence: sequence,
    type,
    listingId,
    attempts,
    nextAt: state === 'pending' && nextAt !== 0 ? nextAt : null,
    lastAt: null,
    status: null,
    durationMs: null,
    response: null,
    error: null,
    updatedAt: 0,
  };
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
