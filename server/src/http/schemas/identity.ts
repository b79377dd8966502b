import { z } from 'zod';
import { normalEmail, PASSWORD_LENGTH_MAX } from '../../model/administrators.ts';
import { expected } from './fields.ts';

/** A password that is tried: whatever it is, only the right one is. */
const password = z
  .string(expected('a string'))
  .max(PASSWORD_LENGTH_MAX, `Must have at most ${PASSWORD_LENGTH_MAX} characters.`)
  .meta({ format: 'password' });

/** Whatever is said to be an address: one that is none is nobody's. */
export const signIn = z.strictObject({ email: z.string(expected('a string')).transform(normalEmail), password });
export const accountChoice = z.strictObject({ accountId: z.string(expected('a string')) });
