import { z } from 'zod';
import { AppError, type ValidationIssue } from '../../../model/errors.ts';
import { suggest } from '../../../model/suggest.ts';
import { ISSUES_MAX, toIssues } from './issues.ts';

type QueryInput = string | string[] | [name: string, value: string][];

export type QuerySchema = z.ZodObject<Record<string, z.ZodOptional<z.ZodType<unknown, QueryInput>>>>;

export const noQuery = z.strictObject({});

/** Parameters that require another parameter, either always or only if they have a certain value. */
export type Partners = readonly (readonly [given: string, required: string, value?: string])[];

/** Maximum number of cached queries per operation; most clients repeat a few queries. */
const REMEMBERED_MAX = 200;
const REMEMBERED_LENGTH_MAX = 500;

/** Creates an operation's query parser. It caches results, because parsing the query of a list takes about 10 µs. */
export function queryReader<S extends QuerySchema>(
  schema: S | undefined,
  partners?: Partners,
): (query: string) => Readonly<z.output<S>>;
export function queryReader(schema: QuerySchema = noQuery, partners?: Partners) {
  const parse = queryParser(schema, partners);
  const remembered = new Map<string, object>();
  return (query: string) => {
    const known = remembered.get(query);
    if (known !== undefined) return known;
    const read = Object.freeze(parse(query));
    if (remembered.size === REMEMBERED_MAX) remembered.clear();
    if (query.length <= REMEMBERED_LENGTH_MAX) remembered.set(query, read);
    return read;
  };
}

interface Known {
  names: ReadonlySet<string>;
  /** The parameters whose names have a client-defined key in brackets, such as `map[COLUMN]`. */
  keyed: readonly Keyed[];
}

interface Keyed {
  name: string;
  /** The part of the name up to the key, such as `map[`. */
  start: string;
}

/** The parser throws `unknown_parameter` or `invalid_query` with all issues, at most `ISSUES_MAX`. */
export function queryParser<S extends QuerySchema>(schema: S, partners: Partners = []): (query: string) => z.output<S> {
  const names = Object.keys(schema.shape);
  const keyed = names.flatMap((name) => {
    const [, start] = KEYED.exec(name) ?? [];
    return start === undefined ? [] : [{ name, start }];
  });
  const known = { names: new Set(names), keyed };
  return (query) => {
    if (query === '') return schema.parse({});
    const all = query.split('&', PARAMETERS_MAX + 1);
    const parameters = groupParameters(all.slice(0, PARAMETERS_MAX));
    const issues = [
      ...findShapeIssues(parameters, known),
      ...findLonelyParameters(parameters, partners),
      ...(all.length > PARAMETERS_MAX ? [TOO_MANY] : []),
    ];
    const result = schema.safeParse(inputOf(parameters, known, issues), { reportInput: true });
    if (result.success && issues.length === 0) return result.data;
    const others = toIssues(result.error?.issues ?? []).map((issue) => ({
      ...issue,
      field: queryField(issue.field.replace(KEY_IN_PATH, '[$2]')),
    }));
    throw invalidQuery([...issues, ...others]);
  };
}

/** A query with more parameters is rejected, and only this many of them are read. */
const PARAMETERS_MAX = 500;
const TOO_MANY: ValidationIssue = {
  field: 'query',
  code: 'too_long',
  message: `Must have at most ${PARAMETERS_MAX} parameters.`,
};

interface Given {
  values: string[];
  isGarbled: boolean;
}

function isRepeatable(name: string): boolean {
  return name.endsWith('[]');
}

/** The name of a parameter with a client-defined key. */
const KEYED = /^(\w+\[)[A-Z:]+\]$/;
/** The path of an issue about a keyed parameter. */
const KEY_IN_PATH = /\[([A-Z:]+)\]\.(.*)$/s;

/** The key in `name`, if `name` belongs to the keyed parameter. */
function keyOf(name: string, { start }: Keyed): string | undefined {
  return name.startsWith(start) && name.endsWith(']') ? name.slice(start.length, -1) : undefined;
}

/** The values of the known parameters without issues. */
function inputOf(parameters: Map<string, Given>, known: Known, issues: readonly ValidationIssue[]) {
  const unshaped = new Set(issues.map(({ field }) => field));
  const input: Record<string, QueryInput | undefined> = {};
  for (const [name, { values }] of parameters) {
    const isRead = known.names.has(name) && !unshaped.has(queryField(name));
    if (isRead) input[name] = isRepeatable(name) ? values : values[0];
  }
  for (const keyed of known.keyed) {
    const entries = [...parameters].flatMap(([name, { values }]): [string, string][] => {
      const key = keyOf(name, keyed);
      return key === undefined ? [] : [[key, values[0] ?? '']];
    });
    if (entries.length > 0) input[keyed.name] = entries;
  }
  return input;
}

function groupParameters(all: readonly string[]): Map<string, Given> {
  const garbled = findGarbled(all);
  const groups = Map.groupBy(new URLSearchParams(all.join('&')), ([name]) => name);
  const toGiven = (name: string, entries: string[][]): Given => ({
    values: entries.map(([, value = '']) => value),
    isGarbled: garbled.has(name),
  });
  return new Map(groups.entries().map(([name, entries]) => [name, toGiven(name, entries)]));
}

/**
 * The names of the first parameters that are not percent-encoded UTF-8 (RFC 3986 §2);
 * `URLSearchParams` would guess their values. One such parameter is enough to reject the query.
 */
function findGarbled(all: readonly string[]): Set<string> {
  const garbled = all
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

/** Issues of the first parameters that are unknown, repeated, empty, or garbled, or given both as `x` and as `x[]`. */
function findShapeIssues(parameters: Map<string, Given>, { names, keyed }: Known): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  let unknown = 0;
  for (const [name, { values, isGarbled }] of parameters) {
    if (issues.length > ISSUES_MAX) break;
    const field = queryField(name);
    const isKey = keyed.some((one) => keyOf(name, one) !== undefined);
    if (!isKey && (!names.has(name) || keyed.some((one) => one.name === name))) {
      const message = unknown < EXPLAINED_MAX ? unknownParameter(name, [...names], unknown === 0) : UNKNOWN;
      issues.push({ field, code: 'unknown_field', message });
      unknown += 1;
    } else if (values.length > 1 && !isRepeatable(name)) {
      issues.push({ field, code: 'duplicate', message: onlyOnce(name, names) });
    } else if (isRepeatable(name) && parameters.has(baseOf(name))) {
      const message = `Must not be combined with ${baseOf(name)}; give all values as ${name}.`;
      issues.push({ field, code: 'inconsistent', message });
    } else if (values.includes('') && !isKey) issues.push({ field, code: 'blank', message: 'Must have a value.' });
    else if (isGarbled) issues.push({ field, code: 'invalid_format', message: GARBLED });
  }
  return issues;
}

function onlyOnce(name: string, known: ReadonlySet<string>): string {
  const repeatable = `${name}[]`;
  if (!known.has(repeatable)) return 'Must be given only once.';
  return `Must be given only once; for several values, use ${repeatable}=…&${repeatable}=….`;
}

const GARBLED = 'Must be percent-encoded UTF-8: é is %C3%A9, and % itself is %25.';

function findLonelyParameters(parameters: Map<string, Given>, partners: Partners): ValidationIssue[] {
  const lonely = partners.filter(
    ([name, required, value]) => isGiven(parameters.get(name), value) && !parameters.has(required),
  );
  return lonely.map(([name, required, value]) => ({
    field: queryField(required),
    code: 'inconsistent',
    message: value === undefined ? `Is required together with ${name}.` : `Is required for ${value} in ${name}.`,
  }));
}

/** Whether a parameter is given and, if `value` is defined, contains that value, possibly after a `-`. */
function isGiven(given: Given | undefined, value: string | undefined): boolean {
  if (given === undefined || value === undefined) return given !== undefined;
  return given.values.some((text) => text.split(',').some((name) => name === value || name === `-${value}`));
}

const NAME_LENGTH_MAX = 100;

function queryField(name: string): string {
  return `query.${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}`;
}

const UNKNOWN = 'There is no such parameter.';
/** Maximum number of unknown parameters with a suggestion, because each suggestion takes 30 µs. */
const EXPLAINED_MAX = 10;

/** Only the first message lists all parameters, because an operation can have fifty. */
function unknownParameter(name: string, known: string[], isFirst: boolean): string {
  if (known.length === 0) return 'There is no such parameter; this request does not accept parameters.';
  const nearest = suggest(name, known);
  if (nearest !== undefined) return `${UNKNOWN} Did you mean "${nearest}"?`;
  const relatives = known.filter((candidate) => baseOf(candidate) === baseOf(name));
  if (relatives.length > 0) return `There is no such parameter; similar parameters: ${relatives.join(', ')}.`;
  return isFirst ? `There is no such parameter; this request accepts ${known.join(', ')}.` : UNKNOWN;
}

/** Returns `beds` for `beds[gte]`. */
function baseOf(name: string): string {
  return name.replace(/\[.*/s, '');
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
