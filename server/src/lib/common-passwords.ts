import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Read when the first password is chosen: most processes never need it. `server/scripts/common-passwords.ts` makes the file. */
let common: ReadonlySet<string> | undefined;

/** Whether a text in lower case is one of the passwords that are guessed first, or a word that many of them begin with. */
export function isOnCommonList(text: string): boolean {
  common ??= new Set(readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8').split(/\s+/));
  return common.has(text);
}
