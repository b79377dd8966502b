import type { FieldCode } from '../../../model/errors.ts';

export const FIELD_ERRORS: Record<FieldCode, { meaning: string; message: string }> = {
  required: { meaning: 'The field is required and missing.', message: 'Is required: a number.' },
  invalid_type: {
    meaning: 'The value has the wrong type, such as a string instead of a number, or `null` for a required field.',
    message: 'Must be a number, not a string.',
  },
  not_an_integer: { meaning: 'The number must be whole; `3.0` is accepted.', message: 'Must be a whole number.' },
  out_of_range: {
    meaning: 'The number, time, or length is outside the allowed range, or the number cannot be stored exactly.',
    message: 'Must be from 0 to 999.',
  },
  blank: {
    meaning: 'The string is empty or only whitespace, or the search words have no letter or digit.',
    message: 'Must not be blank.',
  },
  too_long: {
    meaning:
      'The string has too many characters (Unicode code points, after trimming), or the array, object, or query has ' +
      'too many elements.',
    message: 'Must have at most 255 characters.',
  },
  invalid_choice: {
    meaning: 'The value is not one of the allowed values, which are case-sensitive.',
    message: 'Must be an ISO 4217 code in uppercase letters, such as USD.',
  },
  invalid_format: {
    meaning:
      'The type is correct, but the format is not: for example, the value has too many decimal places, contains ' +
      'control characters, or is a URL without `https`.',
    message: 'Must have at most 2 decimal places.',
  },
  unknown_field: {
    meaning: 'There is no such field. The message names the most similar one, if there is one.',
    message: 'There is no such field; did you mean listPrice?',
  },
  read_only: { meaning: 'The server sets this field.', message: 'Is set by the server; leave it out.' },
  inconsistent: {
    meaning: 'The field contradicts another one, or requires one that is missing: a currency requires a price.',
    message: 'Is required together with currency.',
  },
  duplicate: {
    meaning: 'The same name, value, or field is given more than once.',
    message: 'Must be given only once.',
  },
};
