import { z } from 'zod';
import { suggest } from '../../lib/suggest.ts';
import { AppError, type FieldFault } from '../../model/errors.ts';
import { FAULTS_MAX, toFaults } from './faults.ts';

export type QuerySchema = z.ZodObject<Record<string, z.ZodOptional<z.ZodType<unknown, string>>>>;

/** For operations that take no parameters. */
export const noQuery = z.strictObject({});

/** Parameters of which one means nothing without the other. */
export type Partners = readonly (readonly [string, string])[];

/** So many queries are remembered for each operation: most clients send few different ones, again and again. */
const REMEMBERED_MAX = 200;
const REMEMBERED_LENGTH_MAX = 500;

/**
 * Makes what reads an operation's query. What a query means is remembered, as nothing but its text decides it: that takes
 * a microsecond less than to read it again.
 */
export function queryReader<S extends QuerySchema>(
  schema: S,
  partners?: Partners,
): (query: string) => Readonly<z.output<S>> {
  const remembered = new Map<string, Readonly<z.output<S>>>();
  return (query) => {
    const known = remembered.get(query);
    if (known !== undefined) return known;
    const read = Object.freeze(parseQuery(query, schema, partners));
    if (remembered.size === REMEMBERED_MAX) remembered.clear();
    if (query.length <= REMEMBERED_LENGTH_MAX) remembered.set(query, read);
    return read;
  };
}

/**
 * Checks the parameters of a request against the operation's schema.
 * @throws {AppError} `unknown_parameter` or `invalid_query` with every fault there is
 */
export function parseQuery<S extends QuerySchema>(query: string, schema: S, partners: Partners = []): z.output<S> {
  if (query === '') return schema.parse({});
  const parameters = new URLSearchParams(query);
  const faults = [
    ...findShapeFaults(parameters, Object.keys(schema.shape), findGarbled(query)),
    ...findLonelyParameters(parameters, partners),
  ];
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

/** The names of the parameters that are not UTF-8 in percent-encoding (RFC 3986 §2): `URLSearchParams` would guess. */
function findGarbled(query: string): Set<string> {
  const garbled = query.split('&').filter((parameter) => !isDecodable(parameter));
  return new Set(garbled.flatMap((parameter) => [...new URLSearchParams(parameter).keys()]));
}

function isDecodable(parameter: string): boolean {
  try {
    decodeURIComponent(parameter);
    return true;
  } catch {
    return false;
  }
}

/** Parameters that are unknown, repeated, empty or garbled, whatever their value would mean. */
function findShapeFaults(parameters: URLSearchParams, known: string[], garbled: Set<string>): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const name of new Set(parameters.keys())) {
    const field = queryField(name);
    if (!known.includes(name)) faults.push({ field, code: 'unknown_field', message: unknownParameter(name, known) });
    else if (parameters.getAll(name).length > 1)
      faults.push({ field, code: 'duplicate', message: 'Must be given once.' });
    else if (parameters.get(name) === '') faults.push({ field, code: 'blank', message: 'Must have a value.' });
    else if (garbled.has(name)) faults.push({ field, code: 'invalid_format', message: GARBLED });
  }
  return faults;
}

const GARBLED = 'Must be percent-encoded UTF-8: é is %C3%A9, and % itself is %25.';

function findLonelyParameters(parameters: URLSearchParams, partners: Partners): FieldFault[] {
  const both = partners.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]);
  const lonely = both.filter(([given, missing]) => parameters.has(given) && !parameters.has(missing));
  return lonely.map(([given, missing]) => ({
    field: queryField(missing),
    code: 'inconsistent',
    message: `Is required together with ${given}.`,
  }));
}

const NAME_LENGTH_MAX = 100;

function queryField(name: string): string {
  return `query.${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}`;
}

function unknownParameter(name: string, known: string[]): string {
  if (known.length === 0) return 'There is no such parameter; this request takes none.';
  const nearest = suggest(name, known);
  if (nearest !== undefined) return `There is no such parameter. Did you mean "${nearest}"?`;
  const relatives = known.filter((candidate) => baseOf(candidate) === baseOf(name));
  return `There is no such parameter; there are ${(relatives.length > 0 ? relatives : known).join(', ')}.`;
}

/** `beds` of `beds[gte]`. */
function baseOf(name: string): string | undefined {
  return name.split('[', 1)[0];
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
