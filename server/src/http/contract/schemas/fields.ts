import { z } from 'zod';
import { codePoints, hasTooManyMarks, MARKS_MAX, toNfcWithin } from '../../../lib/nfc.ts';
import { isDate } from '../../../lib/times.ts';
import type { FieldCode } from '../../../model/errors.ts';

/** Adds an issue with a field code to the issues that Zod collects. */
export function addIssue(context: z.RefinementCtx, code: FieldCode, message: string): never {
  context.addIssue({ code: 'custom', message, params: { code } });
  return z.NEVER;
}

interface TextOptions {
  lengthMax: number;
  /** Whether line feeds and tabs are allowed. */
  multiline?: boolean;
  description?: string;
  example?: string;
}

/** A trimmed string in NFC, without control characters, that is not blank. `lengthMax` is in code points. */
export function text({ lengthMax, multiline = false, ...documentation }: TextOptions) {
  return z
    .string(expected('a string'))
    .transform((given, context) => {
      const value = toNfcWithin(given.trim(), lengthMax);
      const issue = findTextIssue(value, lengthMax, multiline);
      return issue === undefined ? value : addIssue(context, issue.code, issue.message);
    })
    .meta({ minLength: 1, maxLength: lengthMax, ...documentation });
}

export function matching(pattern: RegExp, message: string, documentation: { description?: string; example?: string }) {
  return z
    .string(expected('a string'))
    .transform((given, context) => (pattern.test(given) ? given : addIssue(context, 'invalid_format', message)))
    .meta({ pattern: pattern.source, ...documentation });
}

/** Text for a segment of a path. Rejects `.` and `..`, which clients remove from paths (RFC 3986 §5.2.4). */
export function pathText(options: TextOptions) {
  return text(options).refine((value) => value !== '.' && value !== '..', {
    message: 'Must not be "." or "..", which a path cannot contain.',
    params: { code: 'invalid_format' },
  });
}

/** Checks a trimmed and normalized string. A character is a Unicode code point. */
export function findTextIssue(value: string, lengthMax: number, multiline: boolean) {
  if (value === '') return { code: 'blank', message: 'Must not be blank.' } as const;
  if (value.length > lengthMax && codePoints(value) > lengthMax) {
    return { code: 'too_long', message: `Must have at most ${lengthMax} characters.` } as const;
  }
  if (!isPlainText(value, multiline)) {
    const controls = multiline
      ? 'control characters (except line feed and tab)'
      : 'line breaks, tabs, or other control characters';
    return { code: 'invalid_format', message: `Must not contain ${controls}, ${NOT_PLAIN}.` } as const;
  }
  return undefined;
}

/** What a string must not contain in addition to control characters. */
export const NOT_PLAIN = `unpaired surrogates, or more than ${MARKS_MAX} combining marks in a row`;

export function isPlainText(value: string, multiline: boolean): boolean {
  const control = multiline ? /[\p{Cc}--[\n\t]]/v : /\p{Cc}/u;
  return value.isWellFormed() && !control.test(value) && !hasTooManyMarks(value);
}

interface NumberOptions {
  minimum: number;
  maximum: number;
  decimalsMax: number;
  /** Whether the minimum itself is rejected. */
  exclusive?: boolean;
  description?: string;
  example?: number;
}

/** A JSON number within a range and with a limited number of decimal places. It is never rounded. */
export function decimal({ minimum, maximum, decimalsMax, exclusive = false, ...documentation }: NumberOptions) {
  const range = exclusive ? `above ${minimum} and at most ${maximum}` : `from ${minimum} to ${maximum}`;
  return numeric()
    .transform((value, context) => {
      if (value < minimum || value > maximum || (exclusive && value === minimum)) {
        return addIssue(context, 'out_of_range', `Must be ${range}.`);
      }
      if (decimals(value) > decimalsMax) {
        return addIssue(context, 'invalid_format', `Must have at most ${decimalsMax} decimal places.`);
      }
      return withoutNegativeZero(value);
    })
    .meta({ [exclusive ? 'exclusiveMinimum' : 'minimum']: minimum, maximum, ...documentation });
}

/** An integer within a range; `3.0` is accepted. `maximum` can be a function if it depends on the date. */
export function integer(minimum: number, maximum: number | (() => number), description: string, hint = '') {
  const limit = typeof maximum === 'number' ? () => maximum : maximum;
  return numeric()
    .transform((value, context) => {
      if (!Number.isInteger(value)) return addIssue(context, 'not_an_integer', `Must be a whole number${hint}.`);
      if (value < minimum || value > limit()) {
        return addIssue(context, 'out_of_range', `Must be from ${minimum} to ${limit()}.`);
      }
      return withoutNegativeZero(value);
    })
    .meta({ type: 'integer', minimum, ...(typeof maximum === 'number' && { maximum }), description });
}

/** JSON would store -0 as 0, so sending -0 again would look like a change. */
function withoutNegativeZero(value: number): number {
  return value === 0 ? 0 : value;
}

function numeric() {
  return z
    .custom<number>((value) => typeof value === 'number', expected('a number'))
    .refine((value) => !Number.isNaN(value), { message: INEXACT.message, params: { code: INEXACT.code } })
    .meta({ type: 'number' });
}

/** The issue of a number that a double does not preserve, which `parseJson` has replaced with NaN. */
export const INEXACT = {
  code: 'out_of_range',
  message: 'Cannot be stored without rounding: it is too large, too close to 0, or has more than 15 digits.',
} as const;

/** The number of decimal places in a number's shortest notation. */
function decimals(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return Math.max(0, fraction.length - Number(exponent));
}

export function choice<const T extends readonly [string, ...string[]]>(values: T, description: string) {
  return z
    .enum(values, {
      error: ({ input }) =>
        typeof input === 'string' ? `Must be one of ${values.join(', ')}.` : missing(input, 'a string'),
    })
    .describe(description);
}

export function code(codes: ReadonlySet<string>, pattern: string, list: string, example: string) {
  return z
    .string(expected('a string'))
    .transform((value, context) =>
      codes.has(value)
        ? value
        : addIssue(context, 'invalid_choice', `Must be an ${list} code in uppercase letters, such as ${example}.`),
    )
    .meta({ pattern, description: `${list} code`, example });
}

export function date(description: string) {
  return z
    .string(expected('a string'))
    .transform((value, context) =>
      isDate(value)
        ? value
        : addIssue(context, 'invalid_format', 'Must be a calendar date such as 2026-11-22, without a time.'),
    )
    .meta({ format: 'date', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description, example: '2026-11-22' });
}

/** A time in a response: RFC 3339 in UTC with milliseconds. */
export function time() {
  return z.string().meta({ format: 'date-time', example: '2026-01-31T09:30:00.000Z' });
}

export function count(description: string) {
  return z.int().meta({ minimum: 0, description });
}

/** An object that clients send; `id` is its name in the OpenAPI document. */
export function inputObject<S extends z.ZodRawShape>(id: string, shape: S) {
  return z.strictObject(shape, expected('an object')).meta({ id });
}

/** An object in a response; `id` is its name in the OpenAPI document. */
export function namedObject<S extends z.ZodRawShape>(id: string, shape: S) {
  return z.object(shape).meta({ id });
}

/** The message for a missing value or a wrong type. */
export function expected(type: string) {
  return { error: ({ input }: { input?: unknown }) => missing(input, type) };
}

function missing(input: unknown, type: string): string {
  return input === undefined ? `Is required: ${type}.` : `Must be ${type}, not ${typeName(input)}.`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
