/** In UTF-16 units. No writing has so many marks on one letter; who stacks them for fun has some tens. */
export const MARKS_MAX = 128;

/**
 * A text in Unicode's form NFC; one with more marks in a row than `MARKS_MAX` stays as it is, and is to be refused. They are
 * sorted by insertion: a body of a megabyte with nothing else would stop the process for a minute.
 */
export function toNfc(text: string): string {
  return hasTooManyMarks(text) ? text : text.normalize('NFC');
}

/** NFC makes at most four code points into one, each of which has at most two UTF-16 units (UAX #15, table 1). */
const UNITS_PER_CODE_POINT = 8;
/** What follows a cut can only join the last letter before it: that is three marks at most, and half a character. */
const CUT_LOSS_MAX = 4;

/**
 * As `toNfc`, but no more of a text is normalized than shows that it is longer than `lengthMax` code points: a mebibyte
 * takes 20 to 70 ms. What is returned of a longer one is longer, too.
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

/** Whether two UTF-16 units are one code point. */
function isPair(text: string, index: number): boolean {
  return isUnitOf(0xd800, text.charCodeAt(index)) && isUnitOf(0xdc00, text.charCodeAt(index + 1));
}

/** Each kind of surrogates has 1,024. */
function isUnitOf(first: number, unit: number): boolean {
  return (unit & 0xfc00) === first;
}

/** The marks before and behind a position. */
const MARKS_AROUND = /(?<=(\p{M}*))\p{M}*/uy;

/** Whether more marks than `MARKS_MAX` stand in a row. */
export function hasTooManyMarks(text: string): boolean {
  // So long a row has one at a multiple of its length: nothing else is looked at.
  for (let index = MARKS_MAX; index < text.length; index += MARKS_MAX) {
    MARKS_AROUND.lastIndex = index;
    const [behind = '', before = ''] = MARKS_AROUND.exec(text) ?? [];
    if (before.length + behind.length > MARKS_MAX) return true;
  }
  return false;
}
