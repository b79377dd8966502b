/** In UTF-16 units. No writing has so many marks on one letter; who stacks them for fun has some tens. */
export const MARKS_MAX = 128;

/**
 * A text in Unicode's form NFC; one with more marks in a row than `MARKS_MAX` stays as it is, and is to be refused. They are
 * sorted by insertion: a body of a megabyte with nothing else would stop the process for a minute.
 */
export function toNfc(text: string): string {
  return hasTooManyMarks(text) ? text : text.normalize('NFC');
}

/** Whether more marks than `MARKS_MAX` stand in a row. */
export function hasTooManyMarks(text: string): boolean {
  if (text.length <= MARKS_MAX) return false;
  for (const [marks] of text.matchAll(/\p{M}+/gu)) {
    if (marks.length > MARKS_MAX) return true;
  }
  return false;
}
