import type { FieldCode } from '../../../model/errors.ts';

/** What each code in `details` means, and what its message can be. */
export const FIELD_ERRORS: Record<FieldCode, { meaning: string; message: string }> = {
  required: { meaning: 'The field must be given and was not.', message: 'Is required: a number.' },
  invalid_type: {
    meaning: 'The value has another type: a text for a number, or `null` for what cannot be left out.',
    message: 'Must be a number, not a string.',
  },
  not_an_integer: { meaning: 'The number must be a whole one. `3.0` is.', message: 'Must be a whole number.' },
  out_of_range: {
    meaning: 'The number is too small, too large, or cannot be kept exactly.',
    message: 'Must be from 0 to 999.',
  },
  blank: { meaning: 'The text has nothing in it but spaces.', message: 'Must not be blank.' },
  too_long: {
    meaning: 'The text has too many characters (Unicode code points, after trimming), or the array too many elements.',
    message: 'Must have at most 255 characters.',
  },
  invalid_choice: {
    meaning: 'The value is not one of those that there are. Capitals count.',
    message: 'Must be an ISO 4217 code in capital letters, such as USD.',
  },
  invalid_format: {
    meaning:
      'The type is right and the form is not: too many decimals, an address without `https`, control characters.',
    message: 'Must have at most 2 decimals.',
  },
  unknown_field: {
    meaning:
      'There is no such field; to drop it in silence would lose what it says. The message names the nearest one.',
    message: 'There is no such field; perhaps listPrice is meant.',
  },
  read_only: { meaning: 'The server sets this field.', message: 'Is set by the server; leave it out.' },
  inconsistent: {
    meaning: 'The field must go with another: a currency with a price, a latitude with a longitude.',
    message: 'Is required together with currency.',
  },
  duplicate: { meaning: 'The same name was given twice.', message: 'Must be given once.' },
};
