import type { Token } from './sources.ts';

/** Which tables are bound to an account by a statement's conditions. */
export class Holding {
  readonly #held = new Set<string>();
  readonly #follows: [name: string, other: string][] = [];
  readonly #slots: number[];
  #joined: string | undefined;

  constructor(slots: number[]) {
    this.#slots = slots;
  }

  limitTo(joined: string | undefined): void {
    this.#joined = joined;
  }

  /** The table's account is `given`, if that is a parameter. */
  hold(name: string | undefined, given: Token | undefined): void {
    if (name === undefined || typeof given !== 'string' || !given.startsWith('$')) return;
    this.#slots.push(Number(given.slice(1)));
    this.add(name);
  }

  add(name: string): void {
    if (this.#isConcerned(name)) this.#held.add(name);
  }

  /** Both tables have the same account. */
  match(one: string, other: string): void {
    if (this.#isConcerned(one)) this.#follows.push([one, other]);
    if (this.#isConcerned(other)) this.#follows.push([other, one]);
  }

  isHeld(name: string, seen: readonly string[] = []): boolean {
    if (this.#held.has(name)) return true;
    const others = this.#follows.filter(([one, other]) => one === name && !seen.includes(other));
    return others.some(([, other]) => this.isHeld(other, [...seen, name]));
  }

  #isConcerned(name: string): boolean {
    return this.#joined === undefined || this.#joined === name;
  }
}
