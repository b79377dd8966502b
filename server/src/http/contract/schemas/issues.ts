import type { z } from 'zod';
import { type PropertyPath, TOO_MANY_VALUES, VALUES_MAX } from '../../../lib/json.ts';
import { AppError, type FieldCode, type RowIssue, type ValidationIssue } from '../../../model/errors.ts';
import { suggest } from '../../../model/suggest.ts';

/**
 * The maximum number of issues in a response, and of characters in a field's path. Both limit the
 * size of the response. The first hundred issues are enough to show what to fix.
 */
export const ISSUES_MAX = 100;
const FIELD_LENGTH_MAX = 200;

export interface KnownFields {
  accepted: readonly string[];
  readOnly: ReadonlySet<string>;
}

const NO_FIELDS: KnownFields = { accepted: [], readOnly: new Set() };

export function invalidFields(issues: readonly (ValidationIssue | RowIssue)[]): AppError {
  return new AppError('validation_failed', summarize(issues.length), { details: issues.slice(0, ISSUES_MAX) });
}

function summarize(count: number): string {
  if (count === 1) return 'One field is not valid; see details.';
  if (count <= ISSUES_MAX) return `${count} fields are not valid; see details.`;
  return `More than ${ISSUES_MAX} fields are not valid; see details for the first ${ISSUES_MAX}.`;
}

/**
 * Translates Zod's issues into validation issues, at most `ISSUES_MAX` + 1: the extra one shows that there
 * are more. `fields` are the top-level fields of the document.
 */
export function toIssues(issues: readonly z.core.$ZodIssue[], fields = NO_FIELDS): ValidationIssue[] {
  return issues
    .values()
    .flatMap((issue) => translateIssue(issue, fields))
    .take(ISSUES_MAX + 1)
    .toArray();
}

function* translateIssue(issue: z.core.$ZodIssue, fields: KnownFields): Generator<ValidationIssue> {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) yield unknownField([...path, key], key, path.length === 0 ? fields : NO_FIELDS);
  } else {
    yield { field: fieldName(path), ...describeIssue(issue) };
  }
}

function describeIssue(issue: z.core.$ZodIssue): Omit<ValidationIssue, 'field'> {
  if (issue.input !== TOO_MANY_VALUES) return { code: codeOf(issue), message: issue.message };
  return { code: 'too_long', message: `Must have at most ${VALUES_MAX} members and elements in total.` };
}

function unknownField(path: PropertyPath, name: string, { accepted, readOnly }: KnownFields): ValidationIssue {
  const field = fieldName(path);
  if (readOnly.has(name)) return { field, code: 'read_only', message: 'Is set by the server; leave it out.' };
  return { field, code: 'unknown_field', message: `There is no such field${whatInstead(name, accepted)}` };
}

function whatInstead(name: string, accepted: readonly string[]): string {
  const meant = suggest(name, accepted);
  if (meant !== undefined) return `; did you mean ${meant}?`;
  return accepted.includes('metadata') ? '; put your own values into metadata.' : '.';
}

function codeOf(issue: z.core.$ZodIssue): FieldCode {
  switch (issue.code) {
    case 'custom':
      return issue.params?.code ?? (issue.input === undefined ? 'required' : 'invalid_type');
    case 'invalid_value':
      return typeof issue.input === 'string' ? 'invalid_choice' : missingOrType(issue.input);
    case 'too_big':
      return 'too_long';
    default:
      return missingOrType(issue.input);
  }
}

function missingOrType(input: unknown): FieldCode {
  return input === undefined ? 'required' : 'invalid_type';
}

/** Converts `['photos', 2, 'url']` to `photos[2].url`; the document itself is named `body`. */
export function fieldName(path: PropertyPath): string {
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  if (name === '') return 'body';
  const field = name.startsWith('.') ? name.slice(1) : name;
  return field.length > FIELD_LENGTH_MAX ? `${field.slice(0, FIELD_LENGTH_MAX).toWellFormed()}…` : field;
}
