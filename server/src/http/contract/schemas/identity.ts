import { z } from 'zod';
import { normalRecoveryCode } from '../../../domain/accounts/recovery-codes.ts';
import { isCommonPassword } from '../../../model/common-passwords.ts';
import {
  findPasswordIssue,
  normalPassword,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  PASSWORD_PATTERN,
} from '../../../model/passwords.ts';
import { isEmail, normalEmail } from '../../../model/users.ts';
import { addIssue, expected, text } from './fields.ts';

export const personName = text({ lengthMax: 100, example: 'Ada Lovelace' });

/** An email address to sign in with. A malformed address is treated like an unknown one. */
const anyEmail = z.string(expected('a string')).transform((given, context) => {
  const normal = normalEmail(given);
  return normal === '' ? addIssue(context, 'blank', 'Must not be blank.') : normal;
});

export const email = anyEmail
  .transform((given, context) =>
    isEmail(given) ? given : addIssue(context, 'invalid_format', 'Must be an email address, such as ada@example.com.'),
  )
  .meta({ format: 'email', example: 'ada@example.com' });

const COMMON_PASSWORD = 'This password is too common. Use several words.';

const newPassword = z
  .string(expected('a string'))
  .transform((given, context) => {
    const normal = normalPassword(given);
    const issue = findPasswordIssue(normal);
    if (issue !== undefined) return addIssue(context, issue.code, issue.message);
    if (isCommonPassword(normal)) return addIssue(context, 'invalid_choice', COMMON_PASSWORD);
    return normal;
  })
  .meta({
    format: 'password',
    minLength: PASSWORD_LENGTH_MIN,
    maxLength: PASSWORD_LENGTH_MAX,
    pattern: PASSWORD_PATTERN.source,
  });

/** A password to verify. Of the rules for new passwords, only the maximum length applies. */
const password = z
  .string(expected('a string'))
  .transform((given, context) => {
    const normal = normalPassword(given);
    if (normal.length <= PASSWORD_LENGTH_MAX) return normal;
    return addIssue(context, 'too_long', `Must have at most ${PASSWORD_LENGTH_MAX} characters.`);
  })
  .transform((given, context) => (given === '' ? addIssue(context, 'blank', 'Must not be blank.') : given))
  .meta({ format: 'password' });

/** A code from an authenticator app, or a recovery code; spaces are ignored. */
const code = z
  .string(expected('a string'))
  .max(100, 'Must have at most 100 characters.')
  .transform((given) => given.replaceAll(/\s/g, ''))
  .meta({ example: '123456' });

export const signIn = z.strictObject({ email: anyEmail, password });
export const passwordOnly = z.strictObject({ password });
/** `code` is required if the second factor is on. */
export const passwordAndCode = z.strictObject({ password, code: code.optional() });
export const codeOnly = z.strictObject({ code });
export const recoveryCodeOnly = z.strictObject({ code: code.transform(normalRecoveryCode) });
export const passwordChange = z.strictObject({ currentPassword: password, newPassword });
export const nameChange = z.strictObject({ name: personName });
export const accountChoice = z.strictObject({ accountId: z.string(expected('a string')) });

const bytes = bytesUpTo(Number.POSITIVE_INFINITY);

function bytesUpTo(max: number) {
  return z
    .string(expected('a string'))
    .transform((given, context) => {
      if (!/^[\w-]+$/.test(given)) return addIssue(context, 'invalid_format', 'Must be in base64url.');
      return given.length <= max ? given : addIssue(context, 'too_long', `Must have at most ${max} characters.`);
    })
    .describe('In base64url.');
}

/** The members of `PublicKeyCredential.toJSON()` (WebAuthn Level 3 §5.1) that better-auth reads; others are ignored. */
function credential<S extends z.ZodRawShape>(response: S) {
  return z.object({
    // The length of 1,023 bytes (WebAuthn Level 3 §4) in base64url.
    id: bytesUpTo(1_364),
    rawId: bytes,
    type: z.literal('public-key', { error: 'Must be "public-key".' }),
    clientExtensionResults: z.looseObject({}).default({}),
    response: z.object({ clientDataJSON: bytes, ...response }),
  });
}

export const passkeySignIn = z.strictObject({
  response: credential({ authenticatorData: bytes, signature: bytes }),
});
const passkeyName = personName.meta({ example: 'MacBook' });

/** Includes the name so that it is checked before the device creates the passkey. */
export const passkeyStart = passwordAndCode.extend({ name: passkeyName });
export const newPasskey = z.strictObject({
  name: passkeyName,
  response: credential({
    attestationObject: bytes,
    transports: z
      .array(z.string(expected('a string')))
      .max(10)
      .optional(),
  }),
});
export const passkeyOnly = z.strictObject({ id: z.string(expected('a string')) });

const token = z.string(expected('a string')).max(200, 'Must have at most 200 characters.');
const person = { name: personName, email, password: newPassword };

export const setup = z.strictObject({ token, ...person, accountName: personName.optional() });
export const sessionOnly = z.strictObject({ id: z.string(expected('a string')) });
export const tokenOnly = z.strictObject({ token });
/** Accepts an invitation; an existing user sends only the token. */
export const acceptance = z.strictObject({ token, name: personName.optional(), password: newPassword.optional() });
