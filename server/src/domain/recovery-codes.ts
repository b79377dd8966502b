import { randomWord } from '../lib/ids.ts';

const COUNT = 10;
const GROUPS = 3;
const GROUP_LENGTH = 4;
/** 60 random bits, as in earlier codes of ten characters of both cases. */
const CODE = new RegExp(`^[0-9a-z]{${GROUPS * GROUP_LENGTH}}$`);

/** Made to be read from paper: lower-case letters and digits that do not look alike. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => groupsOf(randomWord(GROUPS * GROUP_LENGTH)));
}

/** Normalizes a typed code; earlier codes, of another length, stay the same. */
export function normalRecoveryCode(text: string): string {
  const word = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return CODE.test(word) ? groupsOf(word) : text;
}

function groupsOf(word: string): string {
  return Array.from({ length: GROUPS }, (_, index) =>
    word.slice(index * GROUP_LENGTH, (index + 1) * GROUP_LENGTH),
  ).join('-');
}
