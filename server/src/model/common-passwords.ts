import { isOnCommonList } from '../lib/common-passwords.ts';

/** Real-estate terms, seasons, and months, which supplement `common-passwords.txt`. */
const WORDS = new Set(
  (
    'property properties listing listings propertylistings realestate realtor homes houses ' +
    'spring summer autumn fall winter january february september october november'
  ).split(' '),
);

/** With fewer characters added, such as `2026!` or `12345`, a common word is still a common password. */
const ADDED_LENGTH_MIN = 8;

/** Whether attackers would guess a password early (NIST SP 800-63B §3.1.1.2, OWASP ASVS 5 §6.2.4). */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  return isWord(text) || isCommonWithMore(text) || isSequence(text) || isRepeated(text);
}

function isWord(text: string): boolean {
  return WORDS.has(text) || isOnCommonList(text);
}

/** Matches passwords such as `summer2026`, `123letmein!`, and `p@ssw0rd.1`. */
function isCommonWithMore(text: string): boolean {
  const word = text.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '');
  return word !== '' && text.length - word.length < ADDED_LENGTH_MIN && isWord(word);
}

/** Longer repetitions are safe, because an attacker would have to guess the length. */
const REPEATED_LENGTH_MAX = 32;
const REPEATED = /^(.{1,4}?)\1+.{0,3}$/su;

/** Matches passwords such as `aaaaaaaa`, `abababab`, and `12341234`. */
function isRepeated(text: string): boolean {
  return text.length <= REPEATED_LENGTH_MAX && REPEATED.test(text);
}

/** Matches passwords such as `abcdefgh` and `987654321`; 0 also follows 9. */
function isSequence(text: string): boolean {
  const codes = [...text.replace(/^0|0$/g, '')].map((character) => character.codePointAt(0) ?? 0);
  const steps = new Set(codes.slice(1).map((code, index) => code - (codes[index] ?? 0)));
  const [step = 0] = steps;
  return steps.size === 1 && Math.abs(step) === 1;
}
