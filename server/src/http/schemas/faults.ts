import type { z } from 'zod';
import type { PropertyPath } from '../../lib/json.ts';
import type { FieldCode, FieldFault } from '../../model/errors.ts';

/** A reply names so many faults at most, and a field by so many characters: it must not outgrow the request. */
export const FAULTS_MAX = 100;
const FIELD_LENGTH_MAX = 200;

/** Translates zod's issues to the faults of the contract; `readOnly` are the fields that only the server sets. */
export function toFaults(issues: readonly z.core.$ZodIssue[], readOnly: ReadonlySet<string>): FieldFault[] {
  return issues.flatMap((issue) => toFaultsOfIssue(issue, readOnly));
}

function toFaultsOfIssue(issue: z.core.$ZodIssue, readOnly: ReadonlySet<string>): FieldFault[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownField([...path, key], path.length === 0 && readOnly.has(key)));
  }
  return [{ field: fieldName(path), code: codeOf(issue), message: issue.message }];
}

function unknownField(path: PropertyPath, isReadOnly: boolean): FieldFault {
  const field = fieldName(path);
  return isReadOnly
    ? { field, code: 'read_only', message: 'Is set by the server; leave it out.' }
    : { field, code: 'unknown_field', message: 'There is no such field; use metadata for values of your own.' };
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

/** `['photos', 2, 'url']` → `photos[2].url`; the document itself is `body`. */
export function fieldName(path: PropertyPath): string {
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  if (name === '') return 'body';
  const field = name.startsWith('.') ? name.slice(1) : name;
  return field.length > FIELD_LENGTH_MAX ? `${field.slice(0, FIELD_LENGTH_MAX).toWellFormed()}…` : field;
}
