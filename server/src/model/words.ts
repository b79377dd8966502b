import type { ListingInput } from './listings.ts';

const ASCII = /^[\0-\x7f]*$/;
const MARKS = /\p{M}+/gu;
const WORD = /[\p{L}\p{N}]+/gu;
const ASCII_WORD = /[a-z0-9]+/g;

/** Splits a string into words as searches compare them: NFKD, lowercase, no marks, only letters and digits. */
export function cutWords(text: string): string[] {
  // Most strings are ASCII, for which this takes a third of the time.
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  return toPlain(text).match(WORD) ?? [];
}

/** Returns the same string for texts with the same words. A text without letters and digits keeps its characters. */
export function foldText(text: string): string {
  return cutWords(text).join(' ') || toPlain(text);
}

function toPlain(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase().normalize('NFKD').replaceAll(MARKS, '');
  // Lowercase sigma has a different form at the end of a word, but a prefix need not be the end of a word.
  return plain.replaceAll('ς', 'σ');
}

export const SEARCHED_FIELDS = ['address', 'unitNumber', 'city', 'postalCode', 'externalId', 'description'] as const;

export function searchWords(listing: ListingInput): Set<string> {
  return new Set(cutWords(SEARCHED_FIELDS.map((name) => listing[name] ?? '').join('\n')));
}
