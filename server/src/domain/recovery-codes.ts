import { randomWord } from '../lib/ids.ts';

const COUNT = 10;
const GROUPS = 3;
const GROUP_LENGTH = 4;
/** 60 random bits: as many as the ten characters of both cases had that were made before. */
const CODE = new RegExp(`^[0-9a-z]{${GROUPS * GROUP_LENGTH}}$`);

/** Codes that are read from paper: small letters and digits of which no two look alike. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => groupsOf(randomWord(GROUPS * GROUP_LENGTH)));
}

/** A code as it was made, however it is typed; earlier ones, of another length, stay as they are. */
export function normalRecoveryCode(text: string): string {
  const word = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return CODE.test(word) ? groupsOf(word) : text;
}

function groupsOf(word: string): string {
  return Array.from({ length: GROUPS }, (_, index) =>
    word.slice(index * GROUP_LENGTH, (index + 1) * GROUP_LENGTH),
  ).join('-');
}
