import type { ListingInput } from './listings.ts';

const MARKS = /\p{M}+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

/** Splits a text into words as searches compare them: NFKD, lowercase, no marks, only letters and digits. */
export function cutWords(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase().normalize('NFKD').replaceAll(MARKS, '');
  // Lowercase sigma has a different form at the end of a word, but a prefix need not be the end of a word.
  return plain.replaceAll('ς', 'σ').match(WORD) ?? [];
}

/** The words by which a search finds a listing. */
export function searchWords({ address, city, description }: ListingInput): Set<string> {
  return new Set(cutWords(`${address}\n${city ?? ''}\n${description ?? ''}`));
}
