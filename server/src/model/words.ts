import type { ListingInput } from './listings.ts';

const MARKS = /\p{M}+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text as the search compares them: NFKD, lowercase, without marks, only letters and digits. */
export function cutWords(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase().normalize('NFKD').replaceAll(MARKS, '');
  // Lowercase sigma has two forms, by what follows; the beginning of a word cannot know which.
  return plain.replaceAll('ς', 'σ').match(WORD) ?? [];
}

/** The words by which a search finds a listing. */
export function searchWords({ address, city, description }: ListingInput): Set<string> {
  return new Set(cutWords(`${address}\n${city ?? ''}\n${description ?? ''}`));
}
