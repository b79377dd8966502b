import type { FailedRow } from '../api/admin';
import type { ValidationIssue } from '../api/client';

/**
 * Messages by field and code, or by code alone. They replace the service's messages, which are written for
 * API users.
 */
const TEXTS: Record<string, string> = {
  required: 'This field is required.',
  external_id_taken: 'Another listing has this external ID.',
  'address required': 'Enter an address.',
  'beds required': 'Enter the number of beds.',
  'baths required': 'Enter the number of baths.',
  'name required': 'Enter a name.',
  'accountName required': 'Enter an account name.',
  'email required': 'Enter an email address.',
  'email invalid_format': 'Enter a valid email address.',
  'password required': 'Enter a password.',
  'code required': 'Enter a code.',
  'expiresAt invalid_format': 'Choose a date.',
  'currency invalid_choice': 'Enter a three-letter currency code, such as USD or EUR.',
  'country invalid_choice': 'Enter a two-letter country code, such as US or GB.',
  'onMarketDate invalid_format': 'Choose a date.',
  'closeDate invalid_format': 'Choose a date.',
  'listPrice inconsistent': 'Enter a price, or remove the currency.',
  'livingArea inconsistent': 'Enter an area, or remove its unit.',
  'lotSizeArea inconsistent': 'Enter an area, or remove its unit.',
  'latitude inconsistent': 'Enter both latitude and longitude, or neither.',
  'longitude inconsistent': 'Enter both latitude and longitude, or neither.',
};

/** Describes an invalid field; the service's message is the fallback. */
export function describeIssue({ field, code, message }: ValidationIssue): string {
  const plainCode = code === 'blank' ? 'required' : code;
  const text = TEXTS[`${field} ${plainCode}`] ?? TEXTS[plainCode];
  return text ?? message.replaceAll('a string', 'text');
}

/** Describes an invalid value in a file, for which there is no input to correct. */
export function describeRowIssue({ code, message }: ValidationIssue): string {
  if (['required', 'blank'].includes(code)) return 'This value is missing.';
  return message
    .replace('; set dates=mdy or dates=dmy.', '. Choose the date format.')
    .replace('; set decimal=comma or decimal=point.', '. Choose the decimal separator.')
    .replace(/If so, set values\[(.*)\]=(\w+)\.$/, 'If so, add this line under Words: $1 = $2')
    .replace(/set values\[(.*)\]=\.$/, 'add this line under Words: $1 =')
    .replace(/set values\[(.*)\]=CHOICE\.$/, 'add this line under Words with the right value: $1 = …');
}

/** Describes a warning about values in a file that are probably wrong. */
export function describeWarning(message: string): string {
  return message.replace(/set defaults\[(\w+)\]\.$/, 'add this line under Default values: $1 = …');
}

/** Describes all problems of a row in one line. */
export function describeFailure({ message, details = [] }: FailedRow): string {
  if (details.length === 0) return message;
  return details.map((issue) => `${issue.field}: ${describeRowIssue(issue)}`).join(' ');
}
