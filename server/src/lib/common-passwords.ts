import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Read for the first new password, as most processes need none. `server/scripts/common-passwords.ts` makes the file.
 */
let common: ReadonlySet<string> | undefined;

/** Whether a lowercase text is a common password, or a word that many of them begin with. */
export function isOnCommonList(text: string): boolean {
  common ??= new Set(readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8').split(/\s+/));
  return common.has(text);
}
