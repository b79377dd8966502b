/** Returns a seeded generator of numbers from 0 (inclusive) to 1 (exclusive): mulberry32, public domain. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const DEPTH_MAX = 5;
const NUMBERS = ['0', '-0', '1', '-12', '3.25', '1e3', '-4.5E-2', '1e400', '12345678901234567890', '0.1e+1'];
const CHARACTERS = [
  ...['a', 'é', '😀', ' ', '\u2028', '\x7f'],
  ...'\\n \\" \\\\ \\/ \\u0041 \\ud83d\\ude00 \\ud800'.split(' '),
];
const SPACES = ['', '', '', ' ', '\n', '\t \r'];

/** Generates nested JSON with escapes and white space, and without duplicate names. */
export function randomDocument(seed: number): string {
  const random = generator(seed);
  const pick = (list: string[]) => list[Math.floor(random() * list.length)] ?? '';
  const many = (make: (index: number) => string) => Array.from({ length: Math.floor(random() * 4) }, (_, i) => make(i));
  const spaced = (text: string) => pick(SPACES) + text + pick(SPACES);
  const characters = () => many(() => pick(CHARACTERS)).join('');
  const string = () => `"${characters()}"`;

  function value(depth: number): string {
    const kind = Math.floor(random() * (depth < DEPTH_MAX ? 7 : 4));
    if (kind === 0) return pick(['true', 'false', 'null']);
    if (kind === 1) return pick(NUMBERS);
    if (kind <= 3) return string();
    if (kind === 4) return `[${many(() => spaced(value(depth + 1))).join() || pick(SPACES)}]`;
    const member = (index: number) => `${spaced(`"${index}${characters()}"`)}:${spaced(value(depth + 1))}`;
    return `{${many(member).join() || pick(SPACES)}}`;
  }
  return spaced(value(0));
}

const DAMAGE = [...'{}[]:,"\\ 01.-+eEtnu/x\n\u0000'];

/** Removes, inserts, or replaces one character. */
export function mutate(text: string, seed: number): string {
  const random = generator(seed + 0x9e3779b9);
  const index = Math.floor(random() * text.length);
  const character = DAMAGE[Math.floor(random() * DAMAGE.length)] ?? '';
  const kind = Math.floor(random() * 3);
  return text.slice(0, index) + (kind === 0 ? '' : character) + text.slice(kind === 1 ? index : index + 1);
}

/** Generates finite doubles of all magnitudes, except 0 and -0. */
export function randomNumbers(count: number): number[] {
  const random = generator(count);
  const view = new DataView(new ArrayBuffer(8));
  const numbers: number[] = [];
  while (numbers.length < count) {
    view.setUint32(0, random() * 2 ** 32);
    view.setUint32(4, random() * 2 ** 32);
    const number = random() < 0.5 ? view.getFloat64(0) : Math.round(random() * 1e15) / 100;
    if (Number.isFinite(number) && number !== 0) numbers.push(number);
  }
  return numbers;
}
