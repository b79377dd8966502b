import type { z } from 'zod';
import type { PropertyPath } from '../../lib/json.ts';
import { suggest } from '../../lib/suggest.ts';
import { AppError, type FieldCode, type FieldFault } from '../../model/errors.ts';

/** A reply names so many faults at most, and a field by so many characters: it must not outgrow the request. */
export const FAULTS_MAX = 100;
const FIELD_LENGTH_MAX = 200;

/** Which fields there are, for those who send others. */
export interface KnownFields {
  /** What a client may send. */
  accepted: readonly string[];
  /** What only the server sets. */
  readOnly: ReadonlySet<string>;
}

const NO_FIELDS: KnownFields = { accepted: [], readOnly: new Set() };

/** The error that names faults of a body. */
export function invalidFields(faults: FieldFault[]): AppError {
  const summary =
    faults.length === 1
      ? 'One field is not valid; details says why.'
      : `${faults.length} fields are not valid; details names each.`;
  return new AppError('validation_failed', summary, { details: faults.slice(0, FAULTS_MAX) });
}

/** Translates zod's issues to the faults of the contract; `fields` are those at the top of the document. */
export function toFaults(issues: readonly z.core.$ZodIssue[], fields = NO_FIELDS): FieldFault[] {
  return issues.flatMap((issue) => toFaultsOfIssue(issue, fields));
}

function toFaultsOfIssue(issue: z.core.$ZodIssue, fields: KnownFields): FieldFault[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownField([...path, key], key, path.length === 0 ? fields : NO_FIELDS));
  }
  return [{ field: fieldName(path), code: codeOf(issue), message: issue.message }];
}

function unknownField(path: PropertyPath, name: string, { accepted, readOnly }: KnownFields): FieldFault {
  const field = fieldName(path);
  if (readOnly.has(name)) return { field, code: 'read_only', message: 'Is set by the server; leave it out.' };
  return { field, code: 'unknown_field', message: `There is no such field${whatInstead(name, accepted)}` };
}

function whatInstead(name: string, accepted: readonly string[]): string {
  const meant = suggest(name, accepted);
  if (meant !== undefined) return `; perhaps ${meant} is meant.`;
  return accepted.includes('metadata') ? '; values of your own go into metadata.' : '.';
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
