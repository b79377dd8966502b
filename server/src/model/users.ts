import { z } from 'zod';
import { toNfc } from '../lib/nfc.ts';
import { AppError } from './errors.ts';

/** Members manage listings; administrators also manage keys, webhook endpoints, members, and the account. */
export const ROLES = ['administrator', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** An unused session expires after this time. Each day of use extends it. */
export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

export const SESSION_EXTENDED_MS = 24 * 60 * 60 * 1000;

/** The maximum age even of a session in use (OWASP ASVS 5 §7.3.2): it limits how long a stolen cookie works. */
export const SESSION_AGE_MAX_MS = 30 * 24 * 60 * 60 * 1000;

export interface User {
  id: string;
  name: string;
  /** In lowercase. */
  email: string;
}

export interface Membership {
  accountId: string;
  accountName: string;
  role: Role;
}

export interface Invitation {
  accountId: string;
  id: string;
  email: string;
  role: Role;
  /** The inviter's name when the invitation was created. */
  invitedBy: string;
  /** UTC milliseconds. */
  createdAt: number;
  expiresAt: number;
}

/** The signed-in user of a dashboard request, and the session's account. */
export interface AccountUser {
  sessionId: string;
  userId: string;
  userName: string;
  email: string;
  accountId: string;
  role: Role;
  /** The IP address of the client. */
  address: string;
}

/** RFC 5321 §4.5.3.1: a path has at most 256 characters, including its brackets. */
const EMAIL_LENGTH_MAX = 254;

/** Normalizes an email address, because two spellings would otherwise become two users. */
export function normalEmail(text: string): string {
  return toNfc(text).trim().toLowerCase();
}

/** Whether better-auth accepts the address at sign-in; it requires a dot in the domain. */
export function isEmail(normal: string): boolean {
  return normal.length <= EMAIL_LENGTH_MAX && z.regexes.email.test(normal);
}

/** @throws {AppError} `validation_failed` */
export function parseEmail(text: string): string {
  const email = normalEmail(text);
  if (isEmail(email)) return email;
  throw new AppError('validation_failed', `"${text}" is not an email address; enter one such as ada@example.com.`);
}
