import { createCounter } from '../../../lib/metrics.ts';
import type { Outcome } from '../../../lib/outgoing.ts';
import type { EventType } from '../../../model/listings.ts';
import {
  deliveryId,
  isOutage,
  nextAttemptAt,
  nextExtraAttemptAt,
  PENDING_MAX,
  parseRetryAfter,
  RECOVERY,
  WAIT_MAX_MS,
} from '../../../model/webhooks.ts';
import { findSequences } from '../../../storage/account-heads.ts';
import type { Database } from '../../../storage/database.ts';
import { findEvents, type StoredEvent } from '../../../storage/events.ts';
import { FairSemaphore } from '../../../storage/fair-semaphore.ts';
import { findFirstDeliveries } from '../../../storage/webhook-deliveries.ts';
import type { ClaimedWebhook } from '../../../storage/webhooks.ts';
import { eventJson } from '../../events/events.ts';
import type { WebhookServices } from '../webhooks.ts';
import { DeliveryResults, deliveryOf, type EndReason, type ResultsOwner, toError } from './delivery-results.ts';
import { EndpointQueue, type Entry } from './endpoint-queue.ts';
import { type EventPages, PAGE } from './event-pages.ts';
import { type Message, type SigningKeys, signedHeaders, webhookBody } from './message.ts';
import type { Pace } from './pace.ts';
import type { Slots, SlotUser } from './slots.ts';

/** Maximum number of events in memory that are neither settled nor stored. */
const OPEN_MAX = 128;
/**
 * Maximum number of deliveries that wait for a retry or for another delivery's retry. With this many, no
 * further events are read, except in an outage.
 */
const STORED_MAX = PENDING_MAX / 2;
const FAILURES_IN_ROW = 3;
const LIMIT_START = 16;
const LIMIT_MAX = 64;
/** Maximum bytes of messages in memory, for all endpoints. Further messages are read again when they are sent. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;
/** Longer messages are large, and need a permit. Each endpoint has `LARGE_MAX` permits. */
const LARGE_BYTES = 64 * 1024;
const LARGE_MAX = 2;

const attempts = createCounter<'outcome'>({
  name: 'property_listings_webhook_attempts_total',
  help: 'Attempts to deliver an event to an endpoint, by outcome.',
  labels: ['outcome'],
});

export interface SenderContext extends WebhookServices {
  slots: Slots;
  pace: Pace;
  pages: EventPages;
  /** The bytes of messages in memory. */
  held: { bytes: number };
  /** Permits for large messages. */
  large: FairSemaphore;
  epoch: string;
  owner: string;
  onEnd(sender: EndpointSender, why: EndReason): void;
  onDue(sender: EndpointSender): void;
}

export class EndpointSender implements SlotUser, ResultsOwner {
  readonly accountId: string;
  readonly webhook: ClaimedWebhook;
  readonly #context: SenderContext;
  readonly #keys: SigningKeys;
  readonly #url: URL;
  readonly #queue: EndpointQueue;
  readonly #ending = new AbortController();
  readonly #types: ReadonlySet<EventType> | undefined;
  readonly #results: DeliveryResults;
  /** Limits large messages, so the account's other endpoints get permits even if this one hangs. */
  readonly #large = new FairSemaphore(LARGE_MAX);
  #failingSince: number | null;
  #failuresInRow = 0;
  #mayHaveMore = true;
  #isAwake = false;
  #pumping: Promise<void> | undefined;
  #heldBytes = 0;
  #limit = LIMIT_START;
  #dueTimer: NodeJS.Timeout | undefined;

  constructor(context: SenderContext, accountId: string, webhook: ClaimedWebhook, keys: SigningKeys) {
    this.accountId = accountId;
    this.webhook = webhook;
    this.#context = context;
    this.#keys = keys;
    this.#url = new URL(webhook.url);
    this.#queue = new EndpointQueue(webhook.position);
    this.#types = webhook.types === null ? undefined : new Set(webhook.types);
    this.#results = new DeliveryResults(this, context.database, context.owner);
    this.#failingSince = webhook.failingSince;
  }

  get progress() {
    const { position, storedCount: pending } = this.#queue;
    return { position, pending, failingSince: this.#failingSince };
  }

  get isFailing(): boolean {
    return this.#failuresInRow >= FAILURES_IN_ROW;
  }

  /** A failing endpoint gets one attempt at a time: if it hangs, it leaves slots for those that fail immediately. */
  get limit(): number {
    return this.isFailing ? 1 : this.#limit;
  }

  get hasReady(): boolean {
    return this.#queue.hasReady;
  }

  /** Reads the pending deliveries. Until they have been read, later events of their listings must not be sent. */
  async load(): Promise<void> {
    const { accountId, webhook } = this;
    const pending = await findFirstDeliveries(this.#database, accountId, webhook.id, 'pending', 2 * PENDING_MAX);
    for (const { sequence, epoch, type, listingId, attempts, nextAt } of pending) {
      if (type === null || listingId === null) continue;
      const entry = { sequence, epoch, type, listingId, attempts, nextAt: nextAt ?? 0 };
      this.#queue.add({ ...entry, isStored: true, message: undefined });
    }
  }

  /** Call this when there may be new events. */
  notify(): void {
    this.#mayHaveMore = true;
    this.wake();
  }

  wakeIfDue(now: number): void {
    if (this.#queue.hasDue(now) || this.#results.isPositionDue) this.wake();
  }

  /** Calls `onDue` when the next retry is due, which the dispatcher's checks would find up to a second later. */
  #awaitDue(): void {
    clearTimeout(this.#dueTimer);
    const delayMs = this.#queue.dueAt - Date.now();
    if (this.#hasEnded || delayMs > WAIT_MAX_MS) return;
    // A timer can fire just before it is due by the system's clock.
    this.#dueTimer = setTimeout(() => {
      if (this.#queue.hasDue(Date.now())) this.#context.onDue(this);
      else this.#awaitDue();
    }, delayMs);
  }

  wake(): void {
    this.#isAwake = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
      // `wake` may have been called after the loop last checked `#isAwake`.
      if (this.#isAwake && !this.#hasEnded) this.wake();
    });
  }

  /** Aborts attempts in flight, whose events are sent again later, and stores the results of finished attempts. */
  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    this.#close();
    await this.#pumping;
    await this.#results.finish();
  }

  get epoch(): string {
    return this.#context.epoch;
  }

  get #database(): Database {
    return this.#context.database;
  }

  get #hasEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  async #pump(): Promise<void> {
    try {
      while (this.#isAwake && !this.#hasEnded) {
        this.#isAwake = false;
        if (this.#results.isDue) await this.#results.store();
        if (this.#hasWork) await this.#takeTurn();
      }
    } catch (error) {
      this.end(toError(error));
    }
  }

  get #hasWork(): boolean {
    return this.#queue.hasReady || this.#mayRead || this.#queue.hasDue(Date.now());
  }

  async #takeTurn(): Promise<void> {
    const { pace } = this.#context;
    await pace.turn(this.accountId);
    if (this.#hasEnded) return;
    // Other endpoints have used up the turn.
    if (performance.now() >= pace.endMs) return this.wake();
    if (this.#mayRead) await this.#read();
    if (this.#hasEnded) return;
    const startMs = performance.now();
    this.#sendReady(Math.max(pace.endMs, startMs + 1));
    pace.use(performance.now() - startMs);
  }

  get #mayRead(): boolean {
    const { openCount, storedCount } = this.#queue;
    // In an outage, further events show whether the endpoint is unavailable or only rejects the stored events.
    const storedMax = isOutage(this.#failingSince, Date.now()) ? PENDING_MAX - PAGE.limit : STORED_MAX;
    return this.#mayHaveMore && openCount + PAGE.limit <= OPEN_MAX && storedCount + openCount < storedMax;
  }

  async #read(): Promise<void> {
    this.#mayHaveMore = false;
    const { readTo } = this.#queue;
    const { rows, isCut } = await this.#context.pages.read(this.accountId, readTo);
    if (this.#hasEnded) return;
    const [first] = rows;
    if (first === undefined) return this.#noteRemoved();
    if (first.sequence > readTo + 1) this.#expire(readTo + 1, first.sequence - 1);
    for (const event of rows) this.#add(event);
    this.#queue.readTo = rows.at(-1)?.sequence ?? readTo;
    if (rows.length === PAGE.limit || isCut) this.notify();
  }

  /** If all events after the position were removed, including the latest, records them as expired. */
  async #noteRemoved(): Promise<void> {
    const { readTo } = this.#queue;
    const head = (await findSequences(this.#database, [this.accountId])).get(this.accountId) ?? readTo;
    if (head <= readTo) return;
    const { rows } = await findEvents(this.#database, this.accountId, readTo, { limit: 1, bytesMax: 1 });
    if (rows.length > 0) return this.notify();
    this.#expire(readTo + 1, head);
    this.#queue.readTo = head;
  }

  #add(event: StoredEvent): void {
    const { sequence, type, listingId, createdAt } = event;
    if (!this.#isWanted(event) || this.#queue.has(sequence, listingId)) return;
    const message = this.#hold({ json: eventJson(event), createdAt });
    const { epoch } = this.#context;
    const entry = { sequence, epoch, type, listingId, attempts: 0, nextAt: 0, isStored: false, message };
    if (this.#queue.add(entry)) this.#store(entry);
  }

  #hold(message: Message): Message | undefined {
    const { length } = message.json;
    if (length > LARGE_BYTES || this.#context.held.bytes + length > HELD_BYTES_MAX) return undefined;
    this.#context.held.bytes += length;
    this.#heldBytes += length;
    return message;
  }

  #drop(entry: Entry): void {
    const length = entry.message?.json.length ?? 0;
    entry.message = undefined;
    this.#context.held.bytes -= length;
    this.#heldBytes -= length;
  }

  #isWanted({ type, feed }: StoredEvent): boolean {
    if (this.#types?.has(type) === false) return false;
    return this.webhook.feed === null || this.webhook.feed === feed;
  }

  #sendReady(endMs: number): void {
    const now = Date.now();
    this.#queue.wake(now);
    this.#awaitDue();
    while (this.#queue.hasReady) {
      if (performance.now() >= endMs || this.#results.isFull) {
        this.wake();
        return;
      }
      const free = this.#context.slots.take(this);
      if (free === undefined) return;
      const entry = this.#queue.take(now);
      if (entry === undefined) {
        free();
        return;
      }
      void this.#attempt(entry)
        .catch((error: unknown) => this.end(toError(error)))
        .finally(() => {
          free();
          if (this.#hasWork || this.#results.isDue) this.wake();
        });
    }
  }

  async #attempt(entry: Entry): Promise<void> {
    const message = entry.message ?? (await this.#findMessage(entry));
    if (message === undefined) this.#noteGone(entry);
    else if (message.json.length <= LARGE_BYTES) await this.#send(entry, message);
    else return this.#sendLarge(entry);
  }

  /**
   * Sends a large message once it has a permit of the endpoint and one of the process. The message is read
   * again only then, so few large messages are in memory at a time.
   */
  async #sendLarge(entry: Entry): Promise<void> {
    const options = { signal: this.#ending.signal };
    const send = async () => {
      const message = await this.#findMessage(entry);
      if (message === undefined) this.#noteGone(entry);
      else await this.#send(entry, message);
    };
    await this.#large.run('', () => this.#context.large.run(this.accountId, send, options), options);
  }

  #noteGone(entry: Entry): void {
    this.#queue.settle(entry);
    this.#results.add({ ...deliveryOf(entry, 'expired'), updatedAt: Date.now() });
  }

  async #send(entry: Entry, message: Message): Promise<void> {
    const id = deliveryId(this.webhook.id, entry);
    const body = webhookBody(entry.type, message, this.accountId, entry.epoch);
    const headers = signedHeaders(id, body, this.#keys);
    const outcome = await this.#context.outgoing.post(this.#url, headers, body, this.#ending.signal);
    if (this.#hasEnded) return;
    this.#drop(entry);
    this.#note(entry, outcome);
  }

  async #findMessage({ sequence }: Entry): Promise<Message | undefined> {
    const range = { limit: 1, bytesMax: 1 };
    const { rows } = await findEvents(this.#database, this.accountId, sequence - 1, range);
    const [event] = rows;
    return event?.sequence === sequence ? { json: eventJson(event), createdAt: event.createdAt } : undefined;
  }

  #note(entry: Entry, outcome: Outcome): void {
    const now = Date.now();
    const { status, durationMs, response, error } = outcome;
    const isDelivered = status !== null && status >= 200 && status < 300;
    attempts.add({ outcome: isDelivered ? 'delivered' : 'failed' });
    this.#adapt(isDelivered, now);
    const nextAt = this.#count(entry, isDelivered, now, parseRetryAfter(outcome.retryAfter, now));
    const result = { lastAt: now, status, durationMs, response, error, updatedAt: now };
    if (nextAt === undefined) {
      this.#results.add({ ...deliveryOf(entry, isDelivered ? 'delivered' : 'failed'), ...result });
      this.#queue.settle(entry);
      return;
    }
    entry.nextAt = nextAt;
    const behind = this.#queue.postpone(entry);
    this.#awaitDue();
    this.#results.add({ ...deliveryOf(entry, 'pending'), ...result });
    this.#queue.markStored(entry);
    for (const other of behind) if (!other.isStored) this.#store(other);
  }

  /**
   * Counts an attempt. From the third attempt on, a failure before the scheduled time or during an outage does
   * not use up the retry schedule.
   * @returns when to try again; undefined if there are no further attempts
   */
  #count(entry: Entry, isDelivered: boolean, now: number, retryAfterMs: number): number | undefined {
    const isDuringOutage = isOutage(this.#failingSince, now);
    const isExtra = !isDelivered && (isDuringOutage || entry.nextAt > now);
    if (!isExtra || entry.attempts < 2) entry.attempts += 1;
    if (isDelivered) return undefined;
    if (isExtra) return nextExtraAttemptAt(entry.nextAt, now, isDuringOutage, retryAfterMs);
    return nextAttemptAt(entry.attempts, now, retryAfterMs);
  }

  /** The first success after a long failure makes all waiting events ready if events of many listings wait. */
  #adapt(isDelivered: boolean, now: number): void {
    this.#limit = isDelivered ? Math.min(LIMIT_MAX, this.#limit + 1) : Math.max(1, this.#limit >> 1);
    this.#failuresInRow = isDelivered ? 0 : this.#failuresInRow + 1;
    if (isDelivered) {
      const failedForMs = now - (this.#failingSince ?? now);
      if (failedForMs >= RECOVERY.failedForMs && this.#queue.pendingListings >= RECOVERY.listings) this.#queue.hurry();
      this.#failingSince = null;
    } else {
      // A stored time in the future comes from a wrong clock.
      this.#failingSince = Math.min(this.#failingSince ?? now, now);
    }
  }

  /** Stores an event that waits behind another event of its listing. */
  #store(entry: Entry): void {
    this.#drop(entry);
    this.#results.add({ ...deliveryOf(entry, 'pending'), updatedAt: Date.now() });
    this.#queue.markStored(entry);
  }

  #expire(sequence: number, lastSequence: number): void {
    const entry = { sequence, epoch: this.#context.epoch, type: null, listingId: null, attempts: 0, nextAt: 0 };
    this.#results.add({ ...deliveryOf(entry, 'expired'), lastSequence, updatedAt: Date.now() });
  }

  onStored(): void {
    if (this.#hasWork) this.wake();
  }

  end(why: EndReason): void {
    // The sender may have been stopped while its endpoint was being disabled, which must still be reported.
    if (this.#hasEnded && why !== 'disabled') return;
    this.#close();
    this.#context.onEnd(this, why);
  }

  #close(): void {
    this.#ending.abort();
    clearTimeout(this.#dueTimer);
    this.#results.close();
    this.#context.slots.leave(this);
    this.#context.held.bytes -= this.#heldBytes;
    this.#heldBytes = 0;
  }
}
