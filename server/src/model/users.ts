import { z } from 'zod';
import { toNfc } from '../lib/nfc.ts';
import { AppError } from './errors.ts';

/** Members work with listings; administrators also with keys, the team and the account. */
export const ROLES = ['administrator', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** Whoever does not come back for so long signs in again; each day of use begins the time anew. */
export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** Use extends a session once in so long. */
export const SESSION_EXTENDED_MS = 24 * 60 * 60 * 1000;

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
export interface AccountUser {
  sessionId: string;
  userId: string;
  userName: string;
  email: string;
  accountId: string;
  role: Role;
  /** Where the request comes from. */
  address: string;
}

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

/** @throws {AppError} `validation_failed` for what is no e-mail address */
export function parseEmail(text: string): string {
  const email = normalEmail(text);
  if (isEmail(email)) return email;
  throw new AppError('validation_failed', `"${text}" is no e-mail address, such as ada@example.com.`);
}
