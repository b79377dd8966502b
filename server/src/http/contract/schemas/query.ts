import { z } from 'zod';
import { suggest } from '../../../lib/suggest.ts';
import { AppError, type ValidationIssue } from '../../../model/errors.ts';
import { ISSUES_MAX, toIssues } from './issues.ts';

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
  const parameters = groupParameters(query);
  const issues = [
    ...findShapeIssues(parameters, Object.keys(schema.shape)),
    ...findLonelyParameters(parameters, partners),
  ];
  const unshaped = new Set(issues.map(({ field }) => field));
  const known = Object.keys(schema.shape).filter((name) => parameters.has(name) && !unshaped.has(queryField(name)));
  const given = Object.fromEntries(known.map((name) => [name, parameters.get(name)?.value]));
  const result = schema.safeParse(given, { reportInput: true });
  if (result.success && issues.length === 0) return result.data;
  const others = toIssues(result.error?.issues ?? []).map((issue) => ({
    ...issue,
    field: queryField(issue.field),
  }));
  throw invalidQuery([...issues, ...others]);
}

/** A parameter that was given, however often. */
interface Given {
  value: string;
  isRepeated: boolean;
  isGarbled: boolean;
}

function groupParameters(query: string): Map<string, Given> {
  const garbled = findGarbled(query);
  const parameters = new Map<string, Given>();
  for (const [name, value] of new URLSearchParams(query)) {
    parameters.set(name, { value, isRepeated: parameters.has(name), isGarbled: garbled.has(name) });
  }
  return parameters;
}

/**
 * The names of the parameters that are not UTF-8 in percent-encoding (RFC 3986 §2): `URLSearchParams` would guess. There
 * are fewer parameters than are looked for, so that among more of them one is unknown or repeated.
 */
function findGarbled(query: string): Set<string> {
  const garbled = query
    .split('&')
    .values()
    .filter((parameter) => !isDecodable(parameter))
    .take(ISSUES_MAX);
  return new Set(garbled.flatMap((parameter) => new URLSearchParams(parameter).keys()));
}

function isDecodable(parameter: string): boolean {
  try {
    decodeURIComponent(parameter);
    return true;
  } catch {
    return false;
  }
}

/** Parameters that are unknown, repeated, empty or garbled, whatever their value would mean: the first of them. */
function findShapeIssues(parameters: Map<string, Given>, known: string[]): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  for (const [name, { value, isRepeated, isGarbled }] of parameters) {
    if (issues.length > ISSUES_MAX) break;
    const field = queryField(name);
    if (!known.includes(name)) {
      const isFirst = issues.every(({ code }) => code !== 'unknown_field');
      issues.push({ field, code: 'unknown_field', message: unknownParameter(name, known, isFirst) });
    } else if (isRepeated) issues.push({ field, code: 'duplicate', message: 'Must be given once.' });
    else if (value === '') issues.push({ field, code: 'blank', message: 'Must have a value.' });
    else if (isGarbled) issues.push({ field, code: 'invalid_format', message: GARBLED });
  }
  return issues;
}

const GARBLED = 'Must be percent-encoded UTF-8: é is %C3%A9, and % itself is %25.';

function findLonelyParameters(parameters: Map<string, Given>, partners: Partners): ValidationIssue[] {
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

/** All that there are stand in the first message only: there are fifty. */
function unknownParameter(name: string, known: string[], isFirst: boolean): string {
  if (known.length === 0) return 'There is no such parameter; this request takes none.';
  const nearest = suggest(name, known);
  if (nearest !== undefined) return `There is no such parameter. Did you mean "${nearest}"?`;
  const relatives = known.filter((candidate) => baseOf(candidate) === baseOf(name));
  if (relatives.length > 0) return `There is no such parameter; there are ${relatives.join(', ')}.`;
  return isFirst ? `There is no such parameter; there are ${known.join(', ')}.` : 'There is no such parameter.';
}

/** `beds` of `beds[gte]`. */
function baseOf(name: string): string | undefined {
  return name.split('[', 1)[0];
}

function invalidQuery(issues: ValidationIssue[]): AppError {
  const details = issues.slice(0, ISSUES_MAX);
  const first = issues.find(({ code }) => code === 'unknown_field');
  if (first !== undefined) {
    return new AppError('unknown_parameter', `${first.field.slice('query.'.length)}: ${first.message}`, { details });
  }
  const [issue] = issues;
  const message =
    issues.length === 1
      ? `${issue?.field}: ${issue?.message}`
      : 'Several parameters are not valid; details names each.';
  return new AppError('invalid_query', message, { details });
}
