import { toNfc } from '../lib/nfc.ts';
import { isCommonPassword } from './common-passwords.ts';
import { AppError } from './errors.ts';
import { cutWords } from './words.ts';

/** The minimum in NIST SP 800-63B §3.1.1.2 for passwords that are used with a second factor. */
export const PASSWORD_LENGTH_MIN = 8;
/** Long enough for any passphrase. Hashing reads the whole password, so its length needs a limit. */
export const PASSWORD_LENGTH_MAX = 128;

/** Normalizes a password to NFC, so it does not depend on the keyboard (RFC 8265 §4.2.2). */
export function normalPassword(text: string): string {
  return toNfc(text);
}

/** Matches strings without control characters, which cannot be typed into a form. */
export const PASSWORD_PATTERN = /^\P{Cc}*$/u;

export function findPasswordIssue(normal: string) {
  const { length } = normal;
  if (length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX || !normal.isWellFormed()) {
    const message = `Must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`;
    return { code: 'out_of_range', message } as const;
  }
  if (PASSWORD_PATTERN.test(normal)) return undefined;
  return { code: 'invalid_format', message: 'Must not contain line breaks or other control characters.' } as const;
}

/**
 * `known` has public information about the user, such as the name; `field` names the password in the request.
 * @throws {AppError} `validation_failed` if the password is too short, too long, or easily guessed, or has control characters
 */
export function parsePassword(text: string, known: readonly string[], field = 'password'): string {
  const password = normalPassword(text);
  const issue = findPasswordIssue(password);
  if (issue !== undefined) throw new AppError('validation_failed', issue.message.replace(/^M/, 'A password m'));
  if (isCommonPassword(password)) {
    throw new AppError('validation_failed', 'This password is too common; use several words.');
  }
  if (isMadeOfKnownWords(password, known)) {
    const message = 'Must contain more than names and the email address; use several words.';
    throw new AppError('validation_failed', `The password is easy to guess. It ${message.toLowerCase()}`, {
      details: [{ field, code: 'invalid_choice', message }],
    });
  }
  return password;
}

/** Shorter words occur in too many other words. */
const WORD_LENGTH_MIN = 4;

/** Whether a password would be too short without its known words (NIST SP 800-63B §3.1.1.2). */
function isMadeOfKnownWords(password: string, known: readonly string[]): boolean {
  // Includes the part of an email address before the @.
  const texts = known.flatMap((text) => [text, text.replace(/@.*$/, '')]).map(cutWords);
  const words = new Set([...texts.map((parts) => parts.join('')), ...texts.flat()]);
  const longest = [...words].filter((word) => word.length >= WORD_LENGTH_MIN).sort((a, b) => b.length - a.length);
  const plain = cutWords(password).join('');
  const rest = longest.reduce((text, word) => text.replaceAll(word, ''), plain);
  return rest !== plain && rest.length < PASSWORD_LENGTH_MIN;
}
