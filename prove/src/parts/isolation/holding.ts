import type { Token } from './sql-tokens.ts';

/** Which tables of a part of a statement its conditions hold to an account. */
export class Holding {
  readonly #held = new Set<string>();
  readonly #follows: [name: string, other: string][] = [];
  readonly #slots: number[];
  #joined: string | undefined;

  constructor(slots: number[]) {
    this.#slots = slots;
  }

  /** What follows stands in the conditions of a left join: they leave nothing out of other tables. */
  limitTo(joined: string | undefined): void {
    this.#joined = joined;
  }

  /** The table's account is `given`, if that is a value. */
  hold(name: string | undefined, given: Token | undefined): void {
    if (name === undefined || typeof given !== 'string' || !given.startsWith('$')) return;
    this.#slots.push(Number(given.slice(1)));
    this.add(name);
  }

  add(name: string): void {
    if (this.#isConcerned(name)) this.#held.add(name);
  }

  /** The account of the one is that of the other. */
  match(one: string, other: string): void {
    if (this.#isConcerned(one)) this.#follows.push([one, other]);
    if (this.#isConcerned(other)) this.#follows.push([other, one]);
  }

  /** Once all conditions are read. */
  isHeld(name: string, seen: readonly string[] = []): boolean {
    if (this.#held.has(name)) return true;
    const others = this.#follows.filter(([one, other]) => one === name && !seen.includes(other));
    return others.some(([, other]) => this.isHeld(other, [...seen, name]));
  }

  #isConcerned(name: string): boolean {
    return this.#joined === undefined || this.#joined === name;
  }
}
