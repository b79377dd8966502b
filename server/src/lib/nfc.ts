/** Maximum consecutive combining marks, in UTF-16 units. No script needs as many; decorative text has a few dozen. */
export const MARKS_MAX = 128;

/**
 * Normalizes a string to NFC. A string with more than `MARKS_MAX` marks in a row is returned unchanged and
 * must be rejected: normalization sorts marks by insertion, so a megabyte of them would block the process for
 * a minute.
 */
export function toNfc(text: string): string {
  return hasTooManyMarks(text) ? text : text.normalize('NFC');
}

/** NFC composes at most four code points, of at most two UTF-16 units each, into one (Unicode's normalization FAQ). */
const UNITS_PER_CODE_POINT = 8;
/** The code points that a cut can cost: up to three marks on the last letter, and half a surrogate pair. */
const CUT_LOSS_MAX = 4;

/**
 * Like `toNfc`, but cuts a long string first, since normalizing a mebibyte takes 20 to 70 ms. The result for
 * a string longer than `lengthMax` code points is still longer than `lengthMax`.
 */
export function toNfcWithin(text: string, lengthMax: number): string {
  const head = toNfc(text.slice(0, lengthMax + MARKS_MAX));
  if (text.length <= lengthMax + MARKS_MAX || codePoints(head) > lengthMax + CUT_LOSS_MAX) return head;
  return toNfc(text.slice(0, UNITS_PER_CODE_POINT * lengthMax + 1));
}

export function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += isPair(text, index) ? 2 : 1) count += 1;
  return count;
}

function isPair(text: string, index: number): boolean {
  return isUnitOf(0xd800, text.charCodeAt(index)) && isUnitOf(0xdc00, text.charCodeAt(index + 1));
}

/** Whether a unit is one of the 1,024 surrogates that begin at `first`. */
function isUnitOf(first: number, unit: number): boolean {
  return (unit & 0xfc00) === first;
}

/** The marks before and after a position. */
const MARKS_AROUND = /(?<=(\p{M}*))\p{M}*/uy;

export function hasTooManyMarks(text: string): boolean {
  // Every run of more than `MARKS_MAX` marks includes one of these positions.
  for (let index = MARKS_MAX; index < text.length; index += MARKS_MAX) {
    MARKS_AROUND.lastIndex = index;
    const [behind = '', before = ''] = MARKS_AROUND.exec(text) ?? [];
    if (before.length + behind.length > MARKS_MAX) return true;
  }
  return false;
}
