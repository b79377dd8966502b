import { generator } from '../../../../testkit/src/random-json.ts';
import { readings } from './readings.ts';

/** Who may see something: an account's people and keys, its administrators only, or one person wherever they work. */
export type Owner = string;

interface Canary {
  owners: Set<Owner>;
  /** Where it was put: `address of a listing`. */
  place: string;
}

const TEXT_LENGTH = 10;
const CORE_LENGTH = 6;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** What begins what never was. */
const TWIN = 'zqzq';
const TWINS = /zqzq[a-z]{6}/g;
/** A sequence that nobody comes to. */
const NEVER = 1_000_000;
const IDS = /\b[a-z]{3}_[0-9a-z]{26}\b/g;
const ID = /^([a-z]{3}_[0-9a-z]{10})[0-9a-z]{16}$/;

/** Everything that must be seen by nobody but its owners, and where it is found. */
export class Canaries {
  readonly #random: () => number;
  readonly #core: string;
  readonly #pattern: RegExp;
  readonly #texts: RegExp;
  readonly #known = new Map<string, Canary>();
  #count = 0;

  constructor(seed: number) {
    this.#random = generator(seed);
    this.#core = this.letters(CORE_LENGTH);
    this.#texts = new RegExp(`${this.#core}[a-z]{4}`, 'g');
    // All in lower case: what is searched is, too.
    this.#pattern = new RegExp(
      `${this.#core}[a-z]{4}|(?:acc|lst|key|usr|inv|aud|ses|imp|crd)_[0-9a-z]{26}|plk_[0-9a-z]{4,}|[1-9]\\d{8}\\.\\d\\d|[\\w-]{43}`,
      'g',
    );
  }

  /** A word that stands nowhere else. */
  text(owner: Owner, place: string): string {
    let rest = this.#count;
    this.#count += 1;
    let name = '';
    for (let index = 0; index < TEXT_LENGTH - CORE_LENGTH; index += 1) {
      name = LETTERS[rest % LETTERS.length] + name;
      rest = Math.floor(rest / LETTERS.length);
    }
    const text = this.#core + name;
    this.add(text, owner, place);
    return text;
  }

  /** A number that stands nowhere else, with two decimals. */
  number(owner: Owner, place: string): number {
    const text = `${100_000_000 + this.below(900_000_000)}.${11 + this.below(9)}`;
    this.add(text, owner, place);
    return Number(text);
  }

  /** Something that the service has made, such as an id. */
  add(text: string, owner: Owner, place: string): void {
    const known = this.#known.get(text.toLowerCase());
    if (known !== undefined) known.owners.add(owner);
    else this.#known.set(text.toLowerCase(), { owners: new Set([owner]), place });
  }

  get size(): number {
    return this.#known.size;
  }

  /** The places of an owner whose canaries are not among these. */
  missing(owner: Owner, found: ReadonlySet<string>): string[] {
    const own = [...this.#known].filter(([, { owners }]) => owners.has(owner));
    return own.flatMap(([text, { place }]) => (found.has(text) ? [] : [place]));
  }

  /** The canaries in a text, however they are written. */
  find(text: string): Set<string> {
    const found = new Set<string>();
    for (const reading of readings(text)) {
      for (const [word] of reading.toLowerCase().matchAll(this.#pattern)) if (this.#known.has(word)) found.add(word);
    }
    return found;
  }

  /** What a text tells somebody who may see only these, and who has named `sent` themselves: in words. */
  leaks(text: string, visible: ReadonlySet<Owner>, sent: ReadonlySet<string>): string[] {
    return [...this.find(text)].flatMap((word) => {
      const { owners, place } = this.#known.get(word) ?? { owners: visible, place: '' };
      return sent.has(word) || !visible.isDisjointFrom(owners)
        ? []
        : [`${place} (${word} of ${[...owners].join(', ')})`];
    });
  }

  /** Something of the same form and length that never was. */
  twinOf(text: string): string {
    const id = ID.exec(text);
    if (id !== null) return id[1] + Array.from({ length: 16 }, () => this.#pick(ID_ALPHABET)).join('');
    if (/^\d+$/.test(text)) return String(Number(text) + NEVER);
    const twin = text.replaceAll(this.#texts, () => TWIN + this.letters(TEXT_LENGTH - TWIN.length));
    return twin === text ? this.letters(text.length) : twin;
  }

  /** A text in which what is theirs looks like what never was. */
  mask(text: string): string {
    return text.replaceAll(this.#texts, '«»').replaceAll(TWINS, '«»').replaceAll(IDS, '«id»');
  }

  letters(length: number): string {
    return Array.from({ length }, () => this.#pick(LETTERS)).join('');
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #pick(alphabet: string): string {
    return alphabet[this.below(alphabet.length)] ?? '';
  }
}
