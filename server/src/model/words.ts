import type { ListingInput } from './listings.ts';

/** Marks that Unicode's decomposition leaves behind a letter. */
const MARKS = /\p{M}+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text as the search compares them: NFKD, lower case, without marks, only letters and digits. */
export function cutWords(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase().normalize('NFKD').replaceAll(MARKS, '');
  // A sigma becomes one of two letters in lower case, by what follows it; the beginning of a word does not know that.
  return plain.replaceAll('ς', 'σ').match(WORD) ?? [];
}

/** The words that a search finds a listing by, each once. */
export function searchWords({ address, city, description }: ListingInput): Set<string> {
  return new Set(cutWords(`${address}\n${city ?? ''}\n${description ?? ''}`));
}
