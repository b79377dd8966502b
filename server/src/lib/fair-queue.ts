/** What waits, by whose it is: they take turns, and within the entries of one the order stays. */
export class FairQueue<K, T> {
  /** In the order of their turns; none is empty. */
  readonly #entries = new Map<K, T[]>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  countOf(key: K): number {
    return this.#entries.get(key)?.length ?? 0;
  }

  add(key: K, entry: T): void {
    const entries = this.#entries.get(key);
    if (entries === undefined) this.#entries.set(key, [entry]);
    else entries.push(entry);
  }

  /** Adds an entry before those of the same one that wait already. */
  addFirst(key: K, entry: T): void {
    const entries = this.#entries.get(key);
    if (entries === undefined) this.#entries.set(key, [entry]);
    else entries.unshift(entry);
  }

  /** The first entry of the one whose turn it is. Those whose first entry is not wanted keep their places. */
  take(isWanted: (entry: T) => boolean = () => true): T | undefined {
    for (const [key, entries] of this.#entries) {
      const [entry] = entries;
      if (entry === undefined || !isWanted(entry)) continue;
      entries.shift();
      // The next turn comes after those of all others.
      this.#entries.delete(key);
      if (entries.length > 0) this.#entries.set(key, entries);
      return entry;
    }
    return undefined;
  }

  /** Takes an entry out of the queue. @returns whether it was still waiting */
  remove(key: K, entry: T): boolean {
    const entries = this.#entries.get(key) ?? [];
    const index = entries.indexOf(entry);
    if (index < 0) return false;
    entries.splice(index, 1);
    if (entries.length === 0) this.#entries.delete(key);
    return true;
  }

  /** Takes all entries. */
  takeAll(): T[] {
    const all = Array.from(this.#entries.values()).flat();
    this.#entries.clear();
    return all;
  }
}
