// Generates server/src/lib/common-passwords.txt from two lists, the most common password first in each:
//   npx node server/scripts/common-passwords.ts src/passwords.json 10-million-password-list-top-1000000.txt
// The first is from the npm package @zxcvbn-ts/language-common (MIT; `npm pack` fetches it) and has words that many
// passwords begin with; the second, from SecLists, Passwords/Common-Credentials (MIT), also has digits and patterns.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD_LENGTH_MIN } from '../src/model/passwords.ts';

/** OWASP ASVS 5 §6.2.4: at least the 3,000 most common passwords that are long enough. */
const COUNT = 3_000;
/** A word that passwords begin with; shorter words and digits do not count. */
const BEGINNING = /^(?=.*\p{L}).{4,}$/u;

const [words = '', patterns = ''] = process.argv.slice(2);
const lists: string[][] = [JSON.parse(readFileSync(words, 'utf8')), readFileSync(patterns, 'utf8').split(/\r?\n/)];
const most = lists.flatMap((list) => {
  const texts = [...new Set(list.map((text) => text.toLowerCase()))];
  const last = texts.filter((text) => text.length >= PASSWORD_LENGTH_MIN).at(COUNT - 1) ?? '';
  const first = texts.slice(0, texts.indexOf(last) + 1);
  return first.filter((text) => text.length >= PASSWORD_LENGTH_MIN || BEGINNING.test(text));
});
const sorted = [...new Set(most)].sort();
const lines = sorted.join(' ').match(/.{1,100}(?: |$)/g) ?? [];
const text = `${lines.map((line) => line.trim()).join('\n')}\n`;
writeFileSync(join(import.meta.dirname, '../src/lib/common-passwords.txt'), text);
console.log(
  `${sorted.length} passwords, ${sorted.filter((text) => text.length >= PASSWORD_LENGTH_MIN).length} long enough`,
);
