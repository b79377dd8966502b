import { z } from 'zod';
import { isObject } from '../../../lib/merge-patch.ts';
import { codePoints, toNfcWithin } from '../../../lib/nfc.ts';
import type { ValidationIssue } from '../../../model/errors.ts';
import { addIssue, expected, findTextIssue, INEXACT, isPlainText, NOT_PLAIN } from './fields.ts';
import { fieldName, ISSUES_MAX } from './issues.ts';

export const MEMBERS_MAX = 50;
const NAME_LENGTH_MAX = 40;
const TEXT_LENGTH_MAX = 500;
const VALUE_TYPES = ['string', 'number', 'boolean'] as const;

/** A member's name as it is stored. */
export function normalName(given: string): string {
  return toNfcWithin(given.trim(), NAME_LENGTH_MAX);
}

export const metadata = z
  .custom<Record<string, unknown>>(isObject, expected('an object'))
  .transform((given, context) => {
    const entries = Object.entries(given);
    if (entries.length > MEMBERS_MAX) addIssue(context, 'too_long', `Must have at most ${MEMBERS_MAX} members.`);
    const duplicates = findDuplicates(given);
    const values: Record<string, string | number | boolean> = {};
    // The excess members must be removed anyway; all of them could have issues.
    for (const [givenName, givenValue] of entries.slice(0, MEMBERS_MAX + 1)) {
      const name = normalName(givenName);
      const value = typeof givenValue === 'string' ? toNfcWithin(givenValue, TEXT_LENGTH_MAX) : givenValue;
      const issue = duplicates.get(givenName) ?? findNameIssue(name) ?? findValueIssue(value);
      if (issue !== undefined) {
        context.addIssue({ code: 'custom', path: [givenName], message: issue.message, params: { code: issue.code } });
      } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
        values[name] = value;
      }
    }
    return values;
  })
  .meta({
    type: 'object',
    maxProperties: MEMBERS_MAX,
    propertyNames: { minLength: 1, maxLength: NAME_LENGTH_MAX },
    additionalProperties: { type: VALUE_TYPES, maxLength: TEXT_LENGTH_MAX },
    description: `Your own values, at most ${MEMBERS_MAX}; names can have at most ${NAME_LENGTH_MAX} characters.`,
    example: { agentId: 'A-17', openHouse: true },
  });

/** The maximum number of members applies only to the result of a merge patch, so a patch can replace all members. */
export const metadataPatch = metadata.meta({
  maxProperties: undefined,
  additionalProperties: { type: [...VALUE_TYPES, 'null'], maxLength: TEXT_LENGTH_MAX },
});

export function findNameIssue(name: string) {
  if (name === '__proto__') return { code: 'invalid_format', message: 'Must not be named __proto__.' } as const;
  const issue = findTextIssue(name, NAME_LENGTH_MAX, false);
  // The messages begin with "Must".
  return issue && ({ code: issue.code, message: issue.message.replace(/^M/, 'The name m') } as const);
}

/** Checks a value; a string is already in NFC. */
function findValueIssue(value: unknown) {
  if (typeof value === 'number') return Number.isNaN(value) ? INEXACT : undefined;
  if (typeof value === 'boolean') return undefined;
  if (typeof value !== 'string') {
    return { code: 'invalid_type', message: 'Must be a string, a number, or a boolean.' } as const;
  }
  if (codePoints(value) > TEXT_LENGTH_MAX) {
    return { code: 'too_long', message: `Must have at most ${TEXT_LENGTH_MAX} characters.` } as const;
  }
  if (!isPlainText(value, false)) {
    return { code: 'invalid_format', message: `Must not contain control characters, ${NOT_PLAIN}.` } as const;
  }
  return undefined;
}

/** The issues of names that mean the same member as an earlier name, at most one more than a response shows. */
export function findDuplicates(given: unknown): Map<string, ValidationIssue> {
  const names = new Set<string>();
  const issues = new Map<string, ValidationIssue>();
  for (const givenName of isObject(given) ? Object.keys(given) : []) {
    const name = normalName(givenName);
    const isCounted = names.has(name) && issues.size <= ISSUES_MAX;
    if (isCounted) issues.set(givenName, duplicateName(givenName));
    names.add(name);
  }
  return issues;
}

function duplicateName(name: string): ValidationIssue {
  const message = 'Is the same as another name after trimming and normalization.';
  return { field: fieldName(['metadata', name]), code: 'duplicate', message };
}
