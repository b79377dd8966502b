import { generator } from '../../../../testkit/src/random-json.ts';

/** Who owns a value: an account, its administrators, or one person. */
export type Owner = string;

const TEXT_LENGTH = 10;
const CORE_LENGTH = 6;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** The start of a word's twin. A twin is a value of the same form that never existed. */
const TWIN = 'zqzq';
const TWINS = /zqzq[a-z]{6}/g;
/** A sequence that no account reaches. */
const NEVER = 1_000_000;
const IDS = /\b[a-z]{3}_[0-9a-z]{26}\b/g;
/** Captures what an id's twin keeps: the time, and an entry's number in its block of the request log. */
const ID = /^([a-z]{3}_[0-9a-z]{10})[0-9a-z]{16}(-\d{4})?$/;

/** Canaries: unique values that only their owners are allowed to see. */
export class Canaries {
  readonly #random: () => number;
  readonly #core: string;
  readonly #pattern: RegExp;
  readonly #texts: RegExp;
  readonly #known = new Map<string, { owners: Set<Owner>; place: string }>();
  #count = 0;

  constructor(seed: number) {
    this.#random = generator(seed);
    this.#core = this.letters(CORE_LENGTH);
    this.#texts = new RegExp(`${this.#core}[a-z]{4}`, 'g');
    // Canaries and the searched string are compared in lowercase.
    this.#pattern = new RegExp(
      `${this.#core}[a-z]{4}|(?:acc|lst|key|usr|inv|aud|ses|imp|crd)_[0-9a-z]{26}|plk_[0-9a-z]{4,}|[1-9]\\d{8}\\.\\d\\d|[\\w-]{43}`,
      'g',
    );
  }

  text(owner: Owner, place: string): string {
    const digits = this.#count.toString(LETTERS.length).padStart(TEXT_LENGTH - CORE_LENGTH, '0');
    const text = this.#core + digits.replaceAll(/./g, (digit) => LETTERS[Number.parseInt(digit, LETTERS.length)] ?? '');
    this.#count += 1;
    this.add(text, owner, place);
    return text;
  }

  number(owner: Owner, place: string): number {
    const text = `${100_000_000 + this.below(900_000_000)}.${11 + this.below(9)}`;
    this.add(text, owner, place);
    return Number(text);
  }

  add(text: string, owner: Owner, place: string): void {
    const known = this.#known.getOrInsertComputed(text.toLowerCase(), () => ({ owners: new Set(), place }));
    known.owners.add(owner);
  }

  get size(): number {
    return this.#known.size;
  }

  missing(owner: Owner, found: ReadonlySet<string>): string[] {
    const own = [...this.#known].filter(([, { owners }]) => owners.has(owner));
    return own.flatMap(([text, { place }]) => (found.has(text) ? [] : [place]));
  }

  /** Finds the canaries in a string and in its possible decodings (`readings`). */
  find(text: string): Set<string> {
    const found = new Set<string>();
    for (const reading of readings(text)) {
      for (const [word] of reading.toLowerCase().matchAll(this.#pattern)) if (this.#known.has(word)) found.add(word);
    }
    return found;
  }

  /** Returns canaries that belong to none of the `visible` owners, and that the reader did not send. */
  leaks(text: string, visible: ReadonlySet<Owner>, sent: ReadonlySet<string>): string[] {
    return [...this.find(text).difference(sent)].flatMap((word) => {
      const { owners, place } = this.#known.get(word) ?? { owners: visible, place: '' };
      return visible.isDisjointFrom(owners) ? [`${place} (${word} of ${[...owners].join(', ')})`] : [];
    });
  }

  twinOf(text: string): string {
    const id = ID.exec(text);
    if (id !== null) return `${id[1]}${this.letters(16, ID_ALPHABET)}${id[2] ?? ''}`;
    if (/^\d+$/.test(text)) return String(Number(text) + NEVER);
    const twin = text.replaceAll(this.#texts, () => TWIN + this.letters(TEXT_LENGTH - TWIN.length));
    return twin === text ? this.letters(text.length) : twin;
  }

  /** Replaces other accounts' values, and values that never existed, with the same marks. */
  mask(text: string): string {
    return text.replaceAll(this.#texts, '«»').replaceAll(TWINS, '«»').replaceAll(IDS, '«id»');
  }

  letters(length: number, alphabet = LETTERS): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('');
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

/** Matches words that could be base64. The minimum length is shorter than any id or canary in base64. */
const BASE64 = /[A-Za-z0-9+/_-]{12,}/g;
const HEX = /(?:[0-9a-f]{2}){10,}/g;

/** Returns a string and its possible decodings. */
function readings(text: string): string[] {
  const plain = [text];
  if (/%[0-9a-f]{2}/i.test(text)) plain.push(text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodePercent));
  if (text.includes('\\u')) plain.push(text.replaceAll(/\\u([0-9a-f]{4})/gi, decodeUnit));
  if (text.includes('&#')) plain.push(text.replaceAll(/&#x([0-9a-f]+);/gi, decodeUnit));
  return [...plain, ...plain.flatMap((reading) => [...decodeAll(reading, BASE64), ...decodeAll(reading, HEX, 'hex')])];
}

const decodePercent = (text: string) => Buffer.from(text.replaceAll('%', ''), 'hex').toString();
const decodeUnit = (_: string, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16));

/** Decodes each word, starting at every offset that can matter. */
function decodeAll(text: string, words: RegExp, encoding: 'base64' | 'hex' = 'base64'): string[] {
  const offsets = encoding === 'hex' ? [0] : [0, 1, 2, 3];
  return [...text.matchAll(words)].flatMap(([word]) =>
    offsets.map((offset) => Buffer.from(word.slice(offset), encoding).toString('latin1')),
  );
}
