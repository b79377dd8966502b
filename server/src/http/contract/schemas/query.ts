import { z } from 'zod';
import { AppError, type ValidationIssue } from '../../../model/errors.ts';
import { suggest } from '../../../model/suggest.ts';
import { ISSUES_MAX, toIssues } from './issues.ts';

export type QuerySchema = z.ZodObject<Record<string, z.ZodOptional<z.ZodType<unknown, string>>>>;

/** For operations without query parameters. */
export const noQuery = z.strictObject({});

/** Pairs of parameters that require each other. */
export type Partners = readonly (readonly [string, string])[];

/** Maximum of cached queries per operation; most clients repeat a few queries. */
const REMEMBERED_MAX = 200;
const REMEMBERED_LENGTH_MAX = 500;

/**
 * Creates the query parser of an operation. It caches results, which depend only on the query's
 * text; this saves a microsecond per request.
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
 * @throws {AppError} `unknown_parameter` or `invalid_query` with all issues, at most `ISSUES_MAX`
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
 * The names of parameters that are not percent-encoded UTF-8 (RFC 3986 §2); `URLSearchParams` would
 * guess their values. An operation has fewer than `ISSUES_MAX` parameters, so a query with more is
 * rejected for an unknown or repeated parameter anyway.
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

/** The first parameters that are unknown, repeated, empty, or garbled. */
function findShapeIssues(parameters: Map<string, Given>, known: string[]): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  for (const [name, { value, isRepeated, isGarbled }] of parameters) {
    if (issues.length > ISSUES_MAX) break;
    const field = queryField(name);
    if (!known.includes(name)) {
      const isFirst = issues.every(({ code }) => code !== 'unknown_field');
      issues.push({ field, code: 'unknown_field', message: unknownParameter(name, known, isFirst) });
    } else if (isRepeated) issues.push({ field, code: 'duplicate', message: 'Must be given only once.' });
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

/** Only the first message lists all parameters: an operation can have fifty. */
function unknownParameter(name: string, known: string[], isFirst: boolean): string {
  if (known.length === 0) return 'There is no such parameter; this request takes none.';
  const nearest = suggest(name, known);
  if (nearest !== undefined) return `There is no such parameter. Did you mean "${nearest}"?`;
  const relatives = known.filter((candidate) => baseOf(candidate) === baseOf(name));
  if (relatives.length > 0) return `There is no such parameter; similar parameters: ${relatives.join(', ')}.`;
  return isFirst
    ? `There is no such parameter; this request takes ${known.join(', ')}.`
    : 'There is no such parameter.';
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
    issues.length === 1 ? `${issue?.field}: ${issue?.message}` : 'Several parameters are not valid; see details.';
  return new AppError('invalid_query', message, { details });
}
