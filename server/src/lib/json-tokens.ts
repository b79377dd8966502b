/** Character codes, for finding the ends of JSON tokens (RFC 8259). Regular expressions take ten times as long. */
export const CODE = {
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  point: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  upperE: 0x45,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  lowerE: 0x65,
  f: 0x66,
  n: 0x6e,
  t: 0x74,
  u: 0x75,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** V8 can inline this function, because it only checks for white space, which is rare. */
export function endOfWhitespace(text: string, start: number): number {
  return text.charCodeAt(start) > CODE.space ? start : endOfSpaces(text, start);
}

function endOfSpaces(text: string, start: number): number {
  let position = start;
  for (;;) {
    const code = text.charCodeAt(position);
    if (code !== CODE.space && code !== CODE.lineFeed && code !== CODE.carriageReturn && code !== CODE.tab) break;
    position += 1;
  }
  return position;
}

/** The end of the number that begins at `start`; `start` if there is none. */
export function endOfNumber(text: string, start: number): number {
  const first = text.charCodeAt(start) === CODE.minus ? start + 1 : start;
  const whole = text.charCodeAt(first) === CODE.zero ? first + 1 : endOfDigits(text, first);
  if (whole === first) return start;
  return endOfExponent(text, endOfFraction(text, whole));
}

function endOfFraction(text: string, start: number): number {
  if (text.charCodeAt(start) !== CODE.point) return start;
  const end = endOfDigits(text, start + 1);
  return end === start + 1 ? start : end;
}

function endOfExponent(text: string, start: number): number {
  const letter = text.charCodeAt(start);
  if (letter !== CODE.lowerE && letter !== CODE.upperE) return start;
  const sign = text.charCodeAt(start + 1);
  const first = sign === CODE.plus || sign === CODE.minus ? start + 2 : start + 1;
  const end = endOfDigits(text, first);
  return end === first ? start : end;
}

function endOfDigits(text: string, start: number): number {
  let position = start;
  while (isBetween(text.charCodeAt(position), CODE.zero, CODE.nine)) position += 1;
  return position;
}

/** The end of the unescaped characters that begin at `start`. */
export function endOfPlainCharacters(text: string, start: number): number {
  let position = start;
  for (;;) {
    const code = text.charCodeAt(position);
    // Past the end of the text, the code is NaN, and every comparison with NaN is false.
    if (!(code >= CODE.space) || code === CODE.quote || code === CODE.backslash) break;
    position += 1;
  }
  return position;
}

const HEXADECIMAL_DIGITS = 4;
const ESCAPED = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));

/** The end of the escape whose backslash is at `start`; `start` if it is invalid. */
export function endOfEscape(text: string, start: number): number {
  const letter = text.charCodeAt(start + 1);
  if (ESCAPED.has(letter)) return start + 2;
  if (letter !== CODE.u) return start;
  const end = start + 2 + HEXADECIMAL_DIGITS;
  for (let position = start + 2; position < end; position += 1) {
    if (!isHexadecimal(text.charCodeAt(position))) return start;
  }
  return end;
}

function isHexadecimal(code: number): boolean {
  // 0x20 is the bit that distinguishes lowercase from uppercase letters.
  return isBetween(code, CODE.zero, CODE.nine) || isBetween(code | 0x20, 0x61, CODE.f);
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last;
}

/** A double preserves every decimal of 15 digits (IEEE 754, DBL_DIG). */
const EXACT_LENGTH_MAX = 15;

/** Whether a double preserves the decimal, such that converting the double back gives the same number. */
export function isExact(source: string, value: number): boolean {
  if (source.length <= EXACT_LENGTH_MAX && !/[eE]/.test(source)) return true;
  return Number.isFinite(value) && canonicalDecimal(source) === canonicalDecimal(String(value));
}

/** `-12.50e3` → `-125e2`: sign, digits without zeros at either end, power of ten. */
function canonicalDecimal(decimal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(decimal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  // A regular expression would backtrack from every zero, which takes minutes for a long body.
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const significant = digits.slice(0, end);
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}
