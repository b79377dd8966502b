import { z } from 'zod';
import { toNfc } from '../lib/nfc.ts';
import { isCommonPassword } from './common-passwords.ts';
import { AppError } from './errors.ts';

/** Members work with listings; administrators also with keys, the team and the account. */
export const ROLES = ['administrator', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** Whoever does not come back for so long signs in again; each day of use begins the time anew. */
export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** However often it is used: OWASP ASVS 5 §7.3.2 asks for such an end, and a cookie that was stolen is worth nothing after it. */
export const SESSION_AGE_MAX_MS = 30 * 24 * 60 * 60 * 1000;

/** A person who can sign in. */
export interface User {
  id: string;
  name: string;
  /** In lower case. */
  email: string;
}

/** An account that somebody belongs to. */
export interface Membership {
  accountId: string;
  accountName: string;
  role: Role;
}

/** Somebody may join an account. */
export interface Invitation {
  accountId: string;
  id: string;
  email: string;
  role: Role;
  /** What the person is called who invites. */
  invitedBy: string;
  /** UTC milliseconds. */
  createdAt: number;
  expiresAt: number;
}

/** Who sends a request of the dashboard, for which account. */
export interface Person {
  sessionId: string;
  userId: string;
  userName: string;
  email: string;
  accountId: string;
  role: Role;
  /** Where the request comes from. */
  address: string;
}

/** NIST SP 800-63B §3.1.1.2: not less than eight. */
export const PASSWORD_LENGTH_MIN = 8;
/** Long enough for every passphrase; each hash reads all of it. */
export const PASSWORD_LENGTH_MAX = 128;
/** RFC 5321 §4.5.3.1: a path has 256 characters with its brackets. */
const EMAIL_LENGTH_MAX = 254;

/** Two spellings of one address would be two people. */
export function normalEmail(text: string): string {
  return toNfc(text).trim().toLowerCase();
}

/** What better-auth takes when somebody signs in: with a dot in its domain. */
export function isEmail(normal: string): boolean {
  return normal.length <= EMAIL_LENGTH_MAX && z.regexes.email.test(normal);
}

/** Compared and hashed in one form, whatever keyboard it is typed on (RFC 8265 §4.2.2 names NFC). */
export function normalPassword(text: string): string {
  return toNfc(text);
}

export function isPassword(normal: string): boolean {
  return normal.length >= PASSWORD_LENGTH_MIN && normal.length <= PASSWORD_LENGTH_MAX && normal.isWellFormed();
}

/** @throws {AppError} `validation_failed` for what is no e-mail address */
export function parseEmail(text: string): string {
  const email = normalEmail(text);
  if (isEmail(email)) return email;
  throw new AppError('validation_failed', `"${text}" is no e-mail address, such as ada@example.com.`);
}

/** @throws {AppError} `validation_failed` for one that is too short, too long or guessed first */
export function parsePassword(text: string): string {
  const password = normalPassword(text);
  if (!isPassword(password)) {
    throw new AppError(
      'validation_failed',
      `A password has ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`,
    );
  }
  if (isCommonPassword(password)) {
    throw new AppError('validation_failed', 'This password is one of those that are guessed first; use several words.');
  }
  return password;
}
