import { sessionGone } from '../../domain/principals.ts';
import { AppError } from '../../model/errors.ts';
import { invalidFields } from '../contract/schemas/issues.ts';

const USED_BEFORE = 'Is none of your recovery codes, or was used before.';
/** As better-auth locks a second factor. */
const LOCKED_SECONDS = '900';

/** What better-auth refuses, in our words; `passwordField` is what the form calls the password. */
export function translateRefusal(error: unknown, passwordField = 'password'): unknown {
  switch (codeOf(error)) {
    case 'INVALID_EMAIL':
    case 'INVALID_EMAIL_OR_PASSWORD':
      return new AppError('unauthorized', 'The e-mail address or the password is wrong.');
    case 'INVALID_PASSWORD':
      return invalidFields([{ field: passwordField, code: 'invalid_format', message: 'Is not your password.' }]);
    case 'INVALID_CODE':
      return wrongCode('Is not the code that the app shows now.');
    case 'INVALID_BACKUP_CODE':
      return wrongCode(USED_BEFORE);
    case 'INVALID_TWO_FACTOR_COOKIE':
      return codeNotOwed();
    case 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE':
      return new AppError('unauthorized', 'There were too many wrong codes: sign in again.');
    case 'ACCOUNT_TEMPORARILY_LOCKED':
      return new AppError('rate_limited', 'There were too many wrong codes; try again in a quarter of an hour.', {
        headers: { 'Retry-After': LOCKED_SECONDS },
      });
    case 'TOTP_ALREADY_ENABLED':
      return new AppError('conflict', 'Two-factor authentication is on already; switch it off to set it up anew.');
    case 'TOTP_NOT_ENABLED':
    case 'BACKUP_CODES_NOT_ENABLED':
    case 'TWO_FACTOR_NOT_ENABLED':
      return new AppError('conflict', 'Two-factor authentication is off; switch it on first.');
    case 'UNAUTHORIZED':
      return sessionGone();
    default:
      return translateUnknown(error);
  }
}

function translateUnknown(error: unknown): unknown {
  const status: unknown = Reflect.get(Object(error), 'statusCode');
  // Two requests have used one recovery code at once, and this is the other one.
  if (status === 409) return wrongCode(USED_BEFORE);
  // It goes into the log, and better-auth's own error carries headers, which may hold a cookie.
  if (typeof status === 'number') return new Error(`better-auth answered ${status} ${codeOf(error)}`);
  return error;
}

/** Somebody gives a code who has given no password before. */
export function codeNotOwed(): AppError {
  return new AppError('unauthorized', 'The time for the code is over: sign in again.');
}

/** The code of a second factor was none. */
export function wrongCode(message: string): AppError {
  return invalidFields([{ field: 'code', code: 'invalid_format', message }]);
}

/** The code of better-auth's `APIError`. */
function codeOf(error: unknown): unknown {
  const body: unknown = Reflect.get(Object(error), 'body');
  return Reflect.get(Object(body), 'code');
}
