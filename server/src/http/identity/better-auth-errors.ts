import { sessionGone } from '../../domain/access/principals.ts';
import { unknownPasskey } from '../../domain/accounts/passkeys.ts';
import { AppError } from '../../model/errors.ts';
import { invalidFields } from '../contract/schemas/issues.ts';

const USED_BEFORE = 'That recovery code is not valid or was already used.';
/** How long better-auth locks a second factor after too many wrong codes. */
const LOCKED_SECONDS = '900';

/**
 * Translates an error from better-auth into an `AppError` if its cause is known, or else into an `Error` for the log.
 * Returns other errors unchanged. `passwordField` is the name of the body's field that contains the password.
 */
export function translateIdentityError(error: unknown, passwordField = 'password'): unknown {
  switch (codeOf(error)) {
    case 'INVALID_EMAIL':
    case 'INVALID_EMAIL_OR_PASSWORD':
      return new AppError('unauthorized', 'The email address or password is incorrect.');
    case 'INVALID_PASSWORD':
      return invalidFields([{ field: passwordField, code: 'invalid_format', message: 'The password is incorrect.' }]);
    case 'INVALID_CODE':
      return wrongCode('That code is incorrect. Enter the code that your app shows now.');
    case 'INVALID_BACKUP_CODE':
      return wrongCode(USED_BEFORE);
    case 'INVALID_TWO_FACTOR_COOKIE':
      return noPendingSignIn();
    case 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE':
      return new AppError('unauthorized', 'Too many wrong codes; sign in again.');
    case 'ACCOUNT_TEMPORARILY_LOCKED':
      return new AppError('rate_limited', 'Too many wrong codes; try again in 15 minutes.', {
        headers: { 'Retry-After': LOCKED_SECONDS },
      });
    case 'TOTP_ALREADY_ENABLED':
      return new AppError('conflict', 'Two-step sign-in is already on; turn it off to set it up again.');
    case 'TOTP_NOT_ENABLED':
    case 'BACKUP_CODES_NOT_ENABLED':
    case 'TWO_FACTOR_NOT_ENABLED':
      return new AppError('conflict', 'Two-step sign-in is off; turn it on first.');
    case 'CHALLENGE_NOT_FOUND':
    case 'YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY':
      return expiredPasskey();
    case 'PASSKEY_NOT_FOUND':
      return unknownPasskey();
    case 'AUTHENTICATION_FAILED':
      return new AppError('unauthorized', 'This passkey could not be verified; sign in with your password.');
    case 'FAILED_TO_VERIFY_REGISTRATION':
      return notNewPasskey();
    case 'UNAUTHORIZED':
      return sessionGone();
    default:
      return translateUnknown(error);
  }
}

function translateUnknown(error: unknown): unknown {
  // The client sent the cookie of a sign-in that is waiting for its code in place of a passkey's cookie.
  if (error instanceof SyntaxError) return expiredPasskey();
  const status: unknown = Reflect.get(Object(error), 'statusCode');
  // Another request used the recovery code at the same time.
  if (status === 409) return wrongCode(USED_BEFORE);
  // better-auth's own error must not be logged, because its headers can contain a cookie.
  if (typeof status === 'number') return new Error(`better-auth returned ${status} ${codeOf(error)}`);
  return error;
}

function expiredPasskey(): AppError {
  return new AppError('unauthorized', 'This passkey request has expired; try again.');
}

export function notNewPasskey(): AppError {
  const message = 'Could not be verified as a new passkey for this site.';
  return invalidFields([{ field: 'response', code: 'invalid_format', message }]);
}

export function noPendingSignIn(): AppError {
  return new AppError('unauthorized', 'No sign-in is waiting for a code; sign in again.');
}

export function wrongCode(message: string): AppError {
  return invalidFields([{ field: 'code', code: 'invalid_format', message }]);
}

/** The code of better-auth's `APIError`. */
function codeOf(error: unknown): unknown {
  const body: unknown = Reflect.get(Object(error), 'body');
  return Reflect.get(Object(body), 'code');
}
