/** A queue in which owners take turns. Each owner's entries stay in order. */
export class FairQueue<K, T> {
  /** The entries by owner, in the order of the owners' turns; no list is empty. */
  readonly #entries = new Map<K, T[]>();

  get length(): number {
    return this.#entries.values().reduce((sum, entries) => sum + entries.length, 0);
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  countOf(key: K, isCounted?: (entry: T) => boolean): number {
    const entries = this.#entries.get(key) ?? [];
    return isCounted === undefined ? entries.length : entries.filter(isCounted).length;
  }

  add(key: K, entry: T): void {
    const entries = this.#entries.get(key);
    if (entries === undefined) this.#entries.set(key, [entry]);
    else entries.push(entry);
  }

  addFirst(key: K, entry: T): void {
    const entries = this.#entries.get(key);
    if (entries === undefined) this.#entries.set(key, [entry]);
    else entries.unshift(entry);
  }

  /** Takes the next owner's first entry. Owners whose first entry is not wanted are skipped, but keep their place. */
  take(isWanted: (entry: T) => boolean = () => true): T | undefined {
    for (const [key, entries] of this.#entries) {
      const [entry] = entries;
      if (entry === undefined || !isWanted(entry)) continue;
      entries.shift();
      // Moves the owner behind all others.
      this.#entries.delete(key);
      if (entries.length > 0) this.#entries.set(key, entries);
      return entry;
    }
    return undefined;
  }

  /** Removes an entry. @returns whether it was still waiting */
  remove(key: K, entry: T): boolean {
    const entries = this.#entries.get(key) ?? [];
    const index = entries.indexOf(entry);
    if (index < 0) return false;
    entries.splice(index, 1);
    if (entries.length === 0) this.#entries.delete(key);
    return true;
  }

  takeAll(): T[] {
    const all = Array.from(this.#entries.values()).flat();
    this.#entries.clear();
    return all;
  }
}
