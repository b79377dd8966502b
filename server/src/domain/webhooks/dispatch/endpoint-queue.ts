import type { EventType } from '../../../model/listings.ts';
import { isDue } from '../../../model/webhooks.ts';
import type { Message } from './message.ts';

/** An event that is not settled yet for an endpoint. */
export interface Entry {
  sequence: number;
  epoch: string;
  type: EventType;
  listingId: string;
  attempts: number;
  /** When the next attempt is due (UTC milliseconds); 0 means immediately. */
  nextAt: number;
  /** Whether a row for the event is stored or will be stored with the next position, which can then pass the event. */
  isStored: boolean;
  /** The message; undefined if it must be read again. */
  message: Message | undefined;
}

/** A listing's events are sent one after another, in order; different listings do not wait for each other. */
export class EndpointQueue {
  /** The events of each listing, in order. Only the first event of a listing can be sent. */
  readonly #lanes = new Map<string, Entry[]>();
  /**
   * Events that were not stored when they were added, in order. The position cannot move past the first one that is
   * still neither settled nor stored.
   */
  readonly #open: Entry[] = [];
  readonly #settled = new Set<Entry>();
  /** The first events of listings: those that can be sent now, and those that wait until they are due. */
  #ready: Entry[] = [];
  readonly #waiting = new Set<Entry>();
  #storedCount = 0;
  /** Every event up to this sequence was read. */
  readTo: number;

  constructor(position: number) {
    this.readTo = position;
  }

  /** Every event up to this sequence is settled, filtered out, or stored. */
  get position(): number {
    return this.#first === undefined ? this.readTo : this.#first.sequence - 1;
  }

  get openCount(): number {
    return this.#open.length;
  }

  get storedCount(): number {
    return this.#storedCount;
  }

  /** The number of listings whose next delivery is stored: it failed, waited behind another, or is to be sent again. */
  get pendingListings(): number {
    return this.#lanes
      .values()
      .filter(([first]) => first?.isStored)
      .toArray().length;
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** When the next retry is due (UTC milliseconds); `Infinity` if none waits. */
  get dueAt(): number {
    return this.#waiting
      .values()
      .reduce((earliest, { nextAt }) => Math.min(earliest, nextAt), Number.POSITIVE_INFINITY);
  }

  hasDue(now: number): boolean {
    return this.#waiting.values().some(({ nextAt }) => isDue(nextAt, now));
  }

  has(sequence: number, listingId: string): boolean {
    return this.#lanes.get(listingId)?.some((entry) => entry.sequence === sequence) ?? false;
  }

  /** Adds an event. @returns whether to store it because an earlier event of its listing waits for a retry */
  add(entry: Entry): boolean {
    if (entry.isStored) this.#storedCount += 1;
    else this.#open.push(entry);
    const lane = this.#lanes.get(entry.listingId);
    if (lane === undefined) {
      this.#lanes.set(entry.listingId, [entry]);
      this.#enable(entry);
      return false;
    }
    lane.push(entry);
    const [first] = lane;
    return !entry.isStored && first !== undefined && this.#waiting.has(first);
  }

  /** Takes an event that is due. It stays the first event of its listing until it is settled. */
  take(now: number): Entry | undefined {
    if (this.#ready.length === 0) this.wake(now);
    return this.#ready.shift();
  }

  wake(now: number): void {
    for (const entry of this.#waiting) {
      if (!isDue(entry.nextAt, now)) continue;
      this.#waiting.delete(entry);
      this.#ready.push(entry);
    }
  }

  hurry(): void {
    this.wake(Number.POSITIVE_INFINITY);
  }

  /** Removes an event that needs no further attempts, so the listing's next event can be sent. */
  settle(entry: Entry): void {
    if (entry.isStored) this.#storedCount -= 1;
    else this.#settled.add(entry);
    const lane = this.#lanes.get(entry.listingId) ?? [];
    lane.shift();
    const [next] = lane;
    if (next === undefined) this.#lanes.delete(entry.listingId);
    else this.#enable(next);
  }

  /** Makes a sent event wait for its next attempt. @returns the listing's later events, which must also be stored */
  postpone(entry: Entry): Entry[] {
    this.#waiting.add(entry);
    return this.#lanes.get(entry.listingId)?.slice(1) ?? [];
  }

  /** Records that a row for the event is among the results, which are stored together with the position. */
  markStored(entry: Entry): void {
    if (entry.isStored) return;
    entry.isStored = true;
    this.#storedCount += 1;
  }

  get #first(): Entry | undefined {
    while (this.#open[0] !== undefined && (this.#open[0].isStored || this.#settled.has(this.#open[0]))) {
      const entry = this.#open.shift();
      if (entry !== undefined) this.#settled.delete(entry);
    }
    return this.#open[0];
  }

  #enable(entry: Entry): void {
    if (entry.nextAt === 0) this.#ready.push(entry);
    else this.#waiting.add(entry);
  }
}
