import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Read on first use, because most processes never need it. `scripts/common-passwords.ts` generates the file. */
let common: ReadonlySet<string> | undefined;

/** Whether a lowercase string is a common password or a word that many common passwords begin with. */
export function isOnCommonList(text: string): boolean {
  common ??= new Set(readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8').split(/\s+/));
  return common.has(text);
}
