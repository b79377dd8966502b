import type { Columns } from '../api/admin';
import { ApiError, request, type UploadQuery } from '../api/client';
import { describeError } from './errors';
import { readRows, typeOf } from './file-rows';
import { parseLines } from './value-lines';

/** A column of a CSV file, or a member of the objects in a JSON file. */
export interface FileColumn extends NamedColumn {
  /** Values of the column in the first rows. */
  samples: string[];
}

type NamedColumn = Columns['columns'][number];

/** The field that each column is imported to; empty for a column that is not imported. */
export type Targets = Record<string, string>;

export interface Mapping {
  columns: FileColumn[];
  targets: Targets;
}

const SAMPLES_MAX = 3;
const SAMPLE_LENGTH_MAX = 60;
/** Objects need not have all members, so this many rows are searched for members. */
const ROWS_MAX = 1_000;
/** The maximum number of names in a request. If each has 200 letters of three bytes, they fit in the limit of 16 KiB. */
const NAMES_MAX = 25;
const NAME_LENGTH_MAX = 200;

const NOT_UTF8 = 'This file is not UTF-8. Open it in your spreadsheet, save it as “CSV UTF-8”, and choose it again.';
const EMPTY = 'This file has no rows. In a CSV file, the rows follow the line with the column names.';

/** Reads the columns of a file and asks the service which fields they probably map to. */
export async function readFileColumns(file: File): Promise<{ columns?: FileColumn[]; error?: string }> {
  try {
    const columns = await readColumns(file);
    return columns.length === 0 ? { error: EMPTY } : { columns };
  } catch (error) {
    if (error instanceof ApiError) return { error: describeError(error) };
    if (error instanceof TypeError) return { error: NOT_UTF8 };
    return { error: `This file can’t be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function readColumns(file: File): Promise<FileColumn[]> {
  const samples = new Map<string, string[]>();
  let count = 0;
  for await (const { values } of readRows(file, true)) {
    for (const [name, value] of Object.entries(values)) {
      const known = samples.get(name) ?? [];
      samples.set(name, known);
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const sample = text === 'null' ? '' : text.slice(0, SAMPLE_LENGTH_MAX);
      if (sample !== '' && known.length < SAMPLES_MAX && !known.includes(sample)) known.push(sample);
    }
    count += 1;
    if (count === (typeOf(file) === 'text/csv' ? SAMPLES_MAX : ROWS_MAX)) break;
  }
  const matched = await match([...samples.keys()]);
  return matched.map((column) => ({ ...column, samples: samples.get(column.name) ?? [] }));
}

async function match(names: string[]): Promise<NamedColumn[]> {
  const matched: NamedColumn[] = [];
  for (let at = 0; at < names.length; at += NAMES_MAX) {
    const body = { names: names.slice(at, at + NAMES_MAX).map((name) => name.slice(0, NAME_LENGTH_MAX)) };
    const { columns } = await request<Columns>('POST', '/admin/imports/columns', { body });
    matched.push(...columns);
  }
  return matched;
}

/**
 * Chooses a field for each column: the stored one or, if there is none, the field that the column probably
 * stands for, unless another column already has that field.
 */
export function proposeTargets(columns: FileColumn[], stored: Targets = {}): Targets {
  const targets: Targets = {};
  const taken = new Set(columns.flatMap(({ name }) => stored[name] ?? []));
  // Columns whose names are fields come first: `Price` must not take the field from `listPrice`.
  for (const { name, field } of columns.toSorted((one, next) => Number(next.isKnown) - Number(one.isKnown))) {
    const proposed = field !== null && !taken.has(field) ? field : '';
    const target = stored[name] ?? proposed;
    targets[name] = target;
    taken.add(target);
  }
  return targets;
}

/**
 * Returns only the columns that need a mapping, because an import would otherwise not read them as the user has
 * chosen.
 */
export function toMap({ columns, targets }: Mapping): Targets {
  const changed = columns.filter(({ name, field, isKnown }) =>
    isKnown ? targets[name] !== field : targets[name] !== '',
  );
  return Object.fromEntries(changed.map(({ name }) => [name, targets[name] ?? '']));
}

/**
 * Creates a merge patch for a feed's stored mapping. The patch also changes stored columns that no longer need a
 * mapping: those that are not imported, and those that are imported to their default field.
 */
export function toMapPatch(mapping: Mapping, stored: Targets): Record<string, string | null> {
  const known = mapping.columns.filter(({ name }) => Object.hasOwn(stored, name));
  return { ...Object.fromEntries(known.map(({ name, isKnown }) => [name, isKnown ? null : ''])), ...toMap(mapping) };
}

/** The parameters that define how a file's columns are read. Unknown columns that are not imported are skipped. */
export function toMapQuery(mapping: Mapping): UploadQuery {
  return { map: toMap(mapping), ignoreUnknown: isSkipping(mapping) ? 'true' : undefined };
}

export function isSkipping({ columns, targets }: Mapping): boolean {
  return columns.some(({ name, isKnown }) => !isKnown && targets[name] === '');
}

export interface ReadingOptions {
  clean: boolean;
  /** `mdy` or `dmy`; empty for ISO 8601 only. */
  dates: string;
  /** `comma` or `point`; empty if it is not known. */
  decimal: string;
  /** Lines for `parseLines`: `values` says what words mean, and `defaults` sets the values of rows that have none. */
  values: string;
  defaults: string;
}

/** The parameters that define how a file's values are read. */
export function toReadingQuery({ clean, dates, decimal, values, defaults }: ReadingOptions): UploadQuery {
  return {
    ...(clean && { clean: 'true', dates, decimal }),
    values: parseLines(values),
    defaults: parseLines(defaults),
  };
}

/** The fields to which more than one column is mapped. */
export function findRepeated(targets: Targets): Set<string> {
  const fields = Object.values(targets).filter((field) => field !== '');
  return new Set(fields.filter((field, index) => fields.indexOf(field) !== index));
}
