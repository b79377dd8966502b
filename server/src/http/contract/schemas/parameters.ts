import { z } from 'zod';
import { parseTime } from '../../../lib/times.ts';
import { suggest } from '../../../model/suggest.ts';
import { addIssue, matching } from './fields.ts';

/** The maximum length of a name in a message, because a response must not outgrow its request. */
const NAME_LENGTH_MAX = 100;

/** An integer query parameter. A value outside the range is rejected, never clamped. */
export function integerParameter(minimum: number, maximum: number, description: string, example: unknown) {
  return z
    .string()
    .transform((given, context) => parseInteger(given, minimum, maximum, context))
    .meta({ type: 'integer', minimum, maximum, description, example });
}

function parseInteger(given: string, minimum: number, maximum: number, context: z.RefinementCtx): number {
  if (/^-?\d+$/.test(given)) return inRange(Number(given), minimum, maximum, context);
  const code = Number.isNaN(Number(given)) ? 'invalid_type' : 'not_an_integer';
  return addIssue(context, code, 'Must be a whole number.');
}

/** Comma-separated integers, each at most once; the result is in ascending order. */
export function integersParameter(maximum: number, countMax: number, description: string, example: unknown) {
  return z
    .string()
    .transform((given, context) => {
      const parts = given.split(',', countMax + 1);
      if (parts.length > countMax) return addIssue(context, 'too_long', `Must have at most ${countMax} values.`);
      const values = new Set<number>();
      for (const [index, part] of parts.entries()) {
        const value =
          part === ''
            ? addIssue(context, 'invalid_choice', emptyValue(index))
            : parseInteger(part, 0, maximum, context);
        if (value !== z.NEVER && values.has(value)) addIssue(context, 'duplicate', `Must name ${value} only once.`);
        values.add(value);
      }
      return [...values].sort((one, next) => one - next);
    })
    .meta({
      type: 'array',
      items: { type: 'integer', minimum: 0, maximum },
      uniqueItems: true,
      maxItems: countMax,
      description: `${description} Separate several with commas.`,
      example,
    });
}

export function decimalParameter(minimum: number, maximum: number, description: string, example: unknown) {
  return z
    .string()
    .transform((given, context) => {
      const value = parseDecimal(given);
      if (value !== undefined) return inRange(value, minimum, maximum, context);
      return addIssue(context, 'invalid_type', 'Must be a number such as 450000 or 1250.5.');
    })
    .meta({ type: 'number', minimum, maximum, description, example });
}

function inRange(value: number, minimum: number, maximum: number, context: z.RefinementCtx): number {
  // Adding 0 turns -0 into 0: in the search index (`model/search-terms.ts`), -0 would come after all other numbers.
  if (value >= minimum && value <= maximum) return value + 0;
  return addIssue(context, 'out_of_range', `Must be from ${minimum} to ${maximum}.`);
}

export function parseDecimal(text: string): number | undefined {
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

/** Comma-separated names, each at most once; the result has the same order as `known`. */
export function namesParameter<const T extends string>(known: readonly T[], description: string, example: unknown) {
  const all: readonly string[] = known;
  return z
    .string()
    .transform((given, context) => {
      // If there are more names than in `known`, one is repeated or unknown, which is enough for an error.
      const names = given.split(',', known.length + 1);
      for (const [index, name] of names.entries()) {
        if (name === '') addIssue(context, 'invalid_choice', emptyValue(index));
        else if (!all.includes(name))
          addIssue(context, 'invalid_choice', unknownName(name, all, context.issues.length === 0));
        else if (names.indexOf(name) < index) addIssue(context, 'duplicate', `Must name ${name} only once.`);
      }
      return known.filter((name) => names.includes(name));
    })
    .meta({
      type: 'array',
      items: { type: 'string', enum: known },
      uniqueItems: true,
      description: `${description} Separate several with commas.`,
      example,
    });
}

export function choiceParameter<const T extends string>(known: readonly T[], description: string, example: T) {
  return z
    .string()
    .transform((given, context) => {
      const choice = known.find((candidate) => candidate === given);
      return choice ?? addIssue(context, 'invalid_choice', unknownName(given, known));
    })
    .meta({ enum: known, description, example });
}

/** A time; `condition` is the beginning of the description, without a period. */
export function timeParameter(condition: string) {
  return z
    .string()
    .transform(
      (given, context) =>
        parseTime(given)?.timeMs ??
        addIssue(context, 'invalid_format', 'Must be a time such as 2026-01-31T09:30:00Z, or a date.'),
    )
    .meta({ description: `${condition}; a date without a time is midnight UTC.`, example: '2026-01-31T09:30:00Z' });
}

export function booleanParameter(description: string) {
  return z
    .string()
    .transform((given, context) => {
      if (given === 'true' || given === 'false') return given === 'true';
      return addIssue(context, 'invalid_choice', 'Must be true or false.');
    })
    .meta({ type: 'boolean', description, example: true });
}

function emptyValue(index: number): string {
  return `Value ${index + 1} is empty; remove the extra comma.`;
}

/** Only the first message in a response (`isFirst`) lists the known names, because the list can be long. */
function unknownName(name: string, known: readonly string[], isFirst = true): string {
  const unknown = `There is no "${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}".`;
  const nearest = suggest(name, known);
  if (nearest !== undefined) return `${unknown} Did you mean "${nearest}"?`;
  return isFirst ? `${unknown} Use one of ${known.join(', ')}.` : unknown;
}

const LISTING_ID = /^lst_[0-9a-hjkmnp-tv-z]{26}$/;

export function listingId(description: string) {
  return matching(LISTING_ID, 'Must be the id of a listing.', {
    description,
    example: 'lst_01kt3vwq8r5f0x4m2n7p9s1d6h',
  });
}

export function cursorParameter(description: string) {
  return z
    .string()
    .meta({ description, example: 'q0WmP3dVtV7mWv0lS9nT3hbHN0XzAxa3QzdndxOHI1ZjB4NG0ybjdwOXMxZDZo' })
    .optional();
}
