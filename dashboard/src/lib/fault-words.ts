import type { FieldFault } from '../api/client';

/** Field and code, or a code alone → what a person is told. The service’s own words are for who writes programs. */
const WORDS: Record<string, string> = {
  required: 'Fill this in.',
  blank: 'Fill this in.',
  external_id_taken: 'Another listing has this id of yours.',
  'expiresAt invalid_format': 'Choose a day.',
  'currency invalid_choice': 'Write the three letters of a currency, such as USD or EUR.',
  'country invalid_choice': 'Write the two letters of a country, such as US or GB.',
  'listPrice inconsistent': 'Give a price, too, or leave the currency out.',
  'livingArea inconsistent': 'Give an area, too, or leave its unit out.',
  'lotSizeArea inconsistent': 'Give an area, too, or leave its unit out.',
  'latitude inconsistent': 'Give both latitude and longitude, or neither.',
  'longitude inconsistent': 'Give both latitude and longitude, or neither.',
};

/** A fault of a field in a person’s words; the service’s where there are no others. */
export function sayFault({ field, code, message }: FieldFault): string {
  const words = WORDS[`${field} ${code}`] ?? WORDS[code];
  return words ?? message.replaceAll('a string', 'text');
}
