import { randomWord } from '../../lib/ids.ts';

const COUNT = 10;
const GROUPS = 3;
const GROUP_LENGTH = 4;
/** A code without hyphens. It has 60 random bits, like the mixed-case, ten-character codes of earlier releases. */
const CODE = new RegExp(`^[0-9a-z]{${GROUPS * GROUP_LENGTH}}$`);

/** Creates codes that are easy to read from paper: lowercase letters and digits that do not look alike. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => groupsOf(randomWord(GROUPS * GROUP_LENGTH)));
}

/** Normalizes a typed code. Codes from earlier releases, which have a different length, are returned unchanged. */
export function normalRecoveryCode(text: string): string {
  const word = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return CODE.test(word) ? groupsOf(word) : text;
}

function groupsOf(word: string): string {
  return Array.from({ length: GROUPS }, (_, index) =>
    word.slice(index * GROUP_LENGTH, (index + 1) * GROUP_LENGTH),
  ).join('-');
}
