import { z } from 'zod';
import { suggest } from '../../lib/suggest.ts';
import { AppError, type FieldFault } from '../../model/errors.ts';
import { FAULTS_MAX, toFaults } from './faults.ts';
import { addFault } from './fields.ts';

export type QuerySchema = z.ZodObject<Record<string, z.ZodOptional<z.ZodType<unknown, string>>>>;

/** For operations that take no parameters. */
export const noQuery = z.strictObject({});

/** A whole number in a query parameter, refused outside its range and never clamped. */
export function integerParameter(minimum: number, maximum: number, description: string) {
  return z
    .string()
    .transform((given, context) => {
      if (!/^-?\d+$/.test(given)) {
        return addFault(
          context,
          Number.isNaN(Number(given)) ? 'invalid_type' : 'not_an_integer',
          'Must be a whole number.',
        );
      }
      const value = Number(given);
      if (value >= minimum && value <= maximum) return value;
      return addFault(context, 'out_of_range', `Must be from ${minimum} to ${maximum}.`);
    })
    .meta({ type: 'integer', minimum, maximum, description });
}

/** A switch in a query parameter. */
export function booleanParameter(description: string) {
  return z
    .string()
    .transform((given, context) => {
      if (given === 'true' || given === 'false') return given === 'true';
      return addFault(context, 'invalid_choice', 'Must be true or false.');
    })
    .meta({ type: 'boolean', description });
}

/** Some of these names, with commas between them, each once; they come in the order of `known`. */
export function namesParameter(known: readonly string[], description: string) {
  return z
    .string()
    .transform((given, context) => {
      // One more than there are is a repeated or an unknown one, and enough to say so.
      const names = given.split(',', known.length + 1);
      for (const [index, name] of names.entries()) {
        if (!known.includes(name)) addFault(context, 'invalid_choice', unknownName(name, known));
        else if (names.indexOf(name) < index) addFault(context, 'duplicate', `Must name ${name} once.`);
      }
      return known.filter((name) => names.includes(name));
    })
    .meta({ description });
}

function unknownName(name: string, known: readonly string[]): string {
  const nearest = suggest(name, known);
  const instead = nearest === undefined ? `There are ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
  return `There is no "${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}". ${instead}`;
}

/** So many queries are remembered for each operation: most clients send few different ones, again and again. */
const REMEMBERED_MAX = 200;
const REMEMBERED_LENGTH_MAX = 500;

/**
 * Makes what reads an operation's query. What a query means is remembered, as nothing but its text decides it: that takes
 * a microsecond less than to read it again.
 */
export function queryReader<S extends QuerySchema>(schema: S): (query: string) => Readonly<z.output<S>> {
  const remembered = new Map<string, Readonly<z.output<S>>>();
  return (query) => {
    const known = remembered.get(query);
    if (known !== undefined) return known;
    const read = Object.freeze(parseQuery(query, schema));
    if (remembered.size === REMEMBERED_MAX) remembered.clear();
    if (query.length <= REMEMBERED_LENGTH_MAX) remembered.set(query, read);
    return read;
  };
}

/**
 * Checks the parameters of a request against the operation's schema.
 * @throws {AppError} `unknown_parameter` or `invalid_query` with every fault there is
 */
export function parseQuery<S extends QuerySchema>(query: string, schema: S): z.output<S> {
  if (query === '') return schema.parse({});
  const parameters = new URLSearchParams(query);
  const faults = findShapeFaults(parameters, Object.keys(schema.shape));
  const unshaped = new Set(faults.map(({ field }) => field));
  const given = Object.fromEntries([...parameters].filter(([name]) => !unshaped.has(queryField(name))));
  const result = schema.safeParse(given, { reportInput: true });
  if (result.success && faults.length === 0) return result.data;
  const others = toFaults(result.error?.issues ?? []).map((fault) => ({
    ...fault,
    field: queryField(fault.field),
  }));
  throw invalidQuery([...faults, ...others]);
}

/** Parameters that are unknown, repeated or empty, whatever their value would mean. */
function findShapeFaults(parameters: URLSearchParams, known: string[]): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const name of new Set(parameters.keys())) {
    const field = queryField(name);
    if (!known.includes(name)) faults.push({ field, code: 'unknown_field', message: unknownParameter(name, known) });
    else if (parameters.getAll(name).length > 1)
      faults.push({ field, code: 'duplicate', message: 'Must be given once.' });
    else if (parameters.get(name) === '') faults.push({ field, code: 'blank', message: 'Must have a value.' });
  }
  return faults;
}

const NAME_LENGTH_MAX = 100;

function queryField(name: string): string {
  return `query.${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}`;
}

function unknownParameter(name: string, known: string[]): string {
  if (known.length === 0) return 'There is no such parameter; this request takes none.';
  const nearest = suggest(name, known);
  const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return `There is no such parameter; this request takes ${known.join(' and ')}.${meant}`;
}

function invalidQuery(faults: FieldFault[]): AppError {
  const details = faults.slice(0, FAULTS_MAX);
  const first = faults.find(({ code }) => code === 'unknown_field');
  if (first !== undefined) {
    return new AppError('unknown_parameter', `${first.field.slice('query.'.length)}: ${first.message}`, { details });
  }
  const [fault] = faults;
  const message =
    faults.length === 1
      ? `${fault?.field}: ${fault?.message}`
      : 'Several parameters are not valid; details names each.';
  return new AppError('invalid_query', message, { details });
}
