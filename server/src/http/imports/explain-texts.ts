import type { PlainError, RowIssue, ValidationIssue } from '../../model/errors.ts';
import { PROPERTY_TYPES, STATUSES } from '../../model/listings.ts';
import { suggest } from '../../model/suggest.ts';

/** The longest part of a value in a message. */
const SHOWN_LENGTH_MAX = 40;

const CHOICES: Readonly<Record<string, readonly string[]>> = { status: STATUSES, propertyType: PROPERTY_TYPES };

/** Makes the issues of values that were written as text quote the text: a cell has no type. */
export function explainTexts(error: PlainError, fields: Record<string, unknown>, isClean: boolean): PlainError {
  const details = error.details?.map((issue): RowIssue | ValidationIssue => {
    const text = fields[issue.field];
    return typeof text === 'string' ? { ...issue, message: explain(issue, text, isClean) } : issue;
  });
  return { ...error, details };
}

function explain({ field, code, message }: ValidationIssue | RowIssue, text: string, isClean: boolean): string {
  const shown = `"${text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX).toWellFormed()}…` : text}"`;
  if (code === 'invalid_type') {
    // Values of metadata are in no message, since the request log keeps messages.
    if (!message.startsWith('Must be a number')) return 'The cell is not JSON; write it as the API returns it.';
    const hint = isClean ? '.' : '; to read values such as $450,000 and 1,250 sq ft, set clean=true.';
    return `${shown} is not a number such as 450000${hint}`;
  }
  const meant = code === 'invalid_choice' ? suggest(text, CHOICES[field] ?? []) : undefined;
  return meant === undefined ? message : `${message.slice(0, -1)}; for ${shown}, did you mean ${meant}?`;
}
