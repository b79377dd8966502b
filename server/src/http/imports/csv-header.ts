import type { Cells } from '../../lib/csv.ts';
import { AppError, type ValidationIssue } from '../../model/errors.ts';
import type { FeedColumn } from '../../model/feeds.ts';
import { SERVER_FIELDS } from '../../model/listings.ts';
import { suggest } from '../../model/suggest.ts';
import { fieldName, ISSUES_MAX } from '../contract/schemas/issues.ts';
import { meaningKey } from '../contract/schemas/reading-parameters.ts';
import { findTarget, KNOWN_NAMES, type Target, targetsOf } from '../contract/schemas/targets.ts';
import type { ReadingRequest } from './reading.ts';

export interface CsvColumn {
  name: string;
  target: Target;
}

/** A listing has 31 fields; providers fill a few hundred of RESO's fields. */
export const CSV_COLUMNS_MAX = 500;

type LastFile = Required<Pick<ReadingRequest, 'map' | 'lastColumns'>>;
type HeaderOptions = Pick<ReadingRequest, 'map' | 'ignoreUnknown' | 'lastColumns'>;

/**
 * Returns the columns, with null for each one that is skipped.
 * @throws {AppError} `validation_failed`, with the issues unless there are too many columns
 */
export function parseHeader(
  cells: Cells,
  { map, ignoreUnknown, lastColumns = [] }: HeaderOptions,
): (CsvColumn | null)[] {
  if (cells.length > CSV_COLUMNS_MAX) throw tooManyColumns();
  const targets = targetsOf(map);
  const names = cells.map((cell) => cell?.trim() ?? '');
  const columns = names.map((name) => {
    const target = targets.get(name);
    return target ? { name, target } : null;
  });
  const notUtf8 = cells.flatMap((cell, index) => (cell === undefined ? [describeEncoding(index)] : []));
  if (notUtf8.length > 0) throw invalidHeader(notUtf8);
  const unknown = names.entries().filter(([, name]) => !ignoreUnknown && !targets.has(name));
  const issues = [
    ...findDuplicates(columns),
    ...unknown.take(ISSUES_MAX + 1).map(([index, name]) => unknownColumn(name, index)),
    ...findMissing(names, map),
    ...(ignoreUnknown ? findRenamed(cells, { map, lastColumns }) : []),
  ];
  if (issues.length > 0) throw invalidHeader(issues);
  return columns;
}

function invalidHeader(issues: ValidationIssue[]): AppError {
  const details = issues.slice(0, ISSUES_MAX);
  return new AppError('validation_failed', describeIssues(issues), { details, members: { line: 1 } });
}

function tooManyColumns(): AppError {
  const message = `The header has more than ${CSV_COLUMNS_MAX} columns; remove those that are not needed.`;
  return new AppError('validation_failed', message, { members: { line: 1 } });
}

/** Besides UTF-8, spreadsheets write Windows-1252, which includes Latin-1. */
export const NOT_UTF8 = 'Is not UTF-8; it is probably Windows-1252 (Latin-1). Save the file as UTF-8.';

function describeEncoding(index: number): ValidationIssue {
  return { field: fieldName([`column ${index + 1}`]), code: 'invalid_format', message: NOT_UTF8 };
}

function findDuplicates(columns: (CsvColumn | null)[]): ValidationIssue[] {
  const first = new Map<string, string>();
  const issues: ValidationIssue[] = [];
  for (const { name, target } of columns.filter((column) => column !== null)) {
    const key = target.member === undefined ? target.key : `metadata.${target.member}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, name);
    else issues.push({ field: fieldName([name]), code: 'duplicate', message: sameField(other, name) });
  }
  return issues;
}

function sameField(other: string, name: string): string {
  return `Has the same field as the column ${other}; remove one of them, or set map[${name}]= to skip it.`;
}

function unknownColumn(name: string, index: number): ValidationIssue {
  const nearest = name && suggest(name, KNOWN_NAMES);
  const hint = nearest ? `; did you mean ${nearest}?` : '.';
  const field = fieldName([name || `column ${index + 1}`]);
  return { field, code: 'unknown_field', message: `There is no such column${hint}` };
}

/** An issue for each column of `map` that the file does not have, except for columns that `map` skips. */
function findMissing(names: string[], map: ReadonlyMap<string, string>): ValidationIssue[] {
  const missing = [...map].flatMap(([name, meant]) => (meant === '' || names.includes(name) ? [] : [name]));
  return missing.map((name) => {
    const nearest = suggest(name, names);
    const moved = `; if it has a new name, set map[NEW NAME]=${map.get(name)} instead.`;
    const hint = nearest === undefined ? moved : `; did you mean "${fieldName([nearest])}"?`;
    const message = `The file does not have a column ${name}${hint}`;
    return { field: `query.map[${name}]`, code: 'unknown_field', message };
  });
}

/**
 * If this file has new columns that would be skipped, returns an issue for each field that an earlier file
 * had in a column that this file lacks. A new column could be a missing column with a new name, and the field
 * of that column would silently stay unchanged.
 */
function findRenamed(cells: Cells, lastFile: LastFile): ValidationIssue[] {
  const read = readColumns(cells, { ...lastFile, lastColumns: [] });
  const last = new Map(lastFile.lastColumns);
  const [added] = read.find(([name, meant]) => meant === '' && !lastFile.map.has(name) && last.get(name) !== '') ?? [];
  if (added === undefined || last.size === 0) return [];
  return findGone(read, lastFile).map(([name, meant]) => {
    const column = fieldName([name]);
    const key = findTarget(meant)?.key;
    const message =
      `In an earlier file, the column ${column} contained ${key}. No column in this file contains ${key}, and unknown ` +
      `columns such as "${fieldName([added])}" would be skipped. If ${key} has a new column, set map[COLUMN]=${meant}; ` +
      `otherwise, set map[${column}]= to leave ${key} unchanged.`;
    return { field: `query.map[${column}]`, code: 'unknown_field', message };
  });
}

/** Earlier files' columns whose fields this file does not have, except for columns that `map` names. */
function findGone(columns: readonly FeedColumn[], { map, lastColumns }: LastFile): FeedColumn[] {
  const given = new Set(columns.map(([, meant]) => meaningKey(meant)));
  return lastColumns.filter(([name, meant]) => {
    const isAsked = meant !== '' && !SERVER_FIELDS.some((field) => field === meant);
    return isAsked && !map.has(name) && !given.has(meaningKey(meant));
  });
}

/** The columns of this file, and earlier files' columns that it lacks, for the comparison with the next file. */
export function readColumns(cells: Cells, lastFile: LastFile): FeedColumn[] {
  const targets = targetsOf(lastFile.map);
  const names = new Set(cells.map((cell) => cell?.trim() ?? ''));
  names.delete('');
  const read = [...names].map((name): FeedColumn => [name, targets.get(name) ? (lastFile.map.get(name) ?? name) : '']);
  return [...read, ...findGone(read, lastFile).filter(([name]) => !names.has(name))];
}

function describeIssues(issues: ValidationIssue[]): string {
  const [first] = issues;
  const isUnknown = issues.some(({ code, field }) => code === 'unknown_field' && !field.startsWith('query.'));
  const hint = isUnknown
    ? ' To name the field of a column, send map[COLUMN]=FIELD; to skip unknown columns, set ignoreUnknown=true.'
    : '';
  if (issues.length > ISSUES_MAX) {
    return `More than ${ISSUES_MAX} columns cannot be imported; see details for the first ${ISSUES_MAX}.${hint}`;
  }
  if (issues.length > 1) return `${issues.length} columns cannot be imported; see details.${hint}`;
  if (first?.field.startsWith('query.')) return first.message;
  return `The column "${first?.field}" cannot be imported: ${first?.message}${hint}`;
}
