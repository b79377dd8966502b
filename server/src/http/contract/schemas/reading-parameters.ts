import { SERVER_FIELDS } from '../../../model/listings.ts';
import { type KeyedIssue, keyedTexts } from './keyed.ts';
import { findNameIssue, normalName } from './metadata.ts';
import { booleanParameter, choiceParameter } from './parameters.ts';
import { findTarget, type Target, unknownTarget } from './targets.ts';
import { defaultValues, valueWords } from './value-rules.ts';

/** The maximum number of columns that `map` can name, and the maximum length of a column name. */
const MAPPINGS_MAX = 100;
const COLUMN_LENGTH_MAX = 200;

export const columnMap = keyedTexts({
  max: MAPPINGS_MAX,
  findIssue: (column, meant, earlier) => findMappingIssue(column, meant) ?? findRepeated(earlier, meant),
  description:
    'Names the field of a column or member: `map[Price]=listPrice`. The field can also have its RESO name, such as ' +
    '`LotSizeAcres`, or be a member of `metadata`: `map[Notes]=metadata.notes`. `map[Agent]=` skips the column. At ' +
    `most ${MAPPINGS_MAX} columns.`,
  example: { Price: 'listPrice', Notes: 'metadata.notes', Agent: '' },
});

function findMappingIssue(column: string, meant: string): KeyedIssue | undefined {
  if (column === '') return { code: 'blank', message: 'Must have the name of a column in brackets.' };
  if (column.length > COLUMN_LENGTH_MAX) {
    return { code: 'too_long', message: `The name can have at most ${COLUMN_LENGTH_MAX} characters.` };
  }
  const target = findTarget(meant);
  if (meant === '') return undefined;
  if (target === undefined) {
    return {
      code: 'invalid_choice',
      message: unknownTarget(meant, '; use metadata.NAME to keep the column in metadata.'),
    };
  }
  if (target.member !== undefined) return findMemberIssue(target.member);
  const isServers = SERVER_FIELDS.some((field) => field === target.key && field !== 'id');
  if (!isServers) return undefined;
  return {
    code: 'read_only',
    message: `${meant} is set by the server; set map[${column}]= to skip the column.`,
  };
}

function findMemberIssue(member: string): KeyedIssue | undefined {
  const issue = findNameIssue(member);
  if (issue !== undefined || member === normalName(member)) return issue;
  return { code: 'invalid_format', message: 'The name must be trimmed and in NFC.' };
}

function findRepeated(earlier: ReadonlyMap<string, string>, meant: string): KeyedIssue | undefined {
  const key = meaningKey(meant);
  if (meant === '' || !earlier.values().some((other) => meaningKey(other) === key)) return undefined;
  return { code: 'duplicate', message: `Another column is already ${meant}; map only one of them.` };
}

/** Returns the same string for all names of a field; empty if there is no such field. */
export function meaningKey(meant: string): string {
  const target: Target | undefined = findTarget(meant);
  return target === undefined ? '' : `${target.key}.${target.member ?? ''}`;
}

/** The parameters of imports and feeds that determine how a file is read. */
export const readingParameters = {
  'map[COLUMN]': columnMap.optional(),
  'values[FIELD:WORD]': valueWords.optional(),
  'defaults[FIELD]': defaultValues.optional(),
  clean: booleanParameter(
    'Reads values as people write them, such as `$450,000`, `1,250 sq ft`, `2.5` baths, and `Sold`. A value that can ' +
      'be read in two ways is an error.',
  ).optional(),
  dates: choiceParameter(
    ['mdy', 'dmy'],
    'The order of dates such as `03/04/2026`: month first (`mdy`) or day first (`dmy`). Requires `clean=true`.',
    'mdy',
  ).optional(),
  decimal: choiceParameter(
    ['comma', 'point'],
    'The decimal separator of numbers: `267.500` is 267500 (`comma`) or 267.5 (`point`). Requires `clean=true`.',
    'comma',
  ).optional(),
  ignoreUnknown: booleanParameter(
    "Skips unknown columns and members. A feed's CSV file is still rejected if an unknown column could be the new " +
      'name of a column that an earlier file had and this one lacks.',
  ).optional(),
};
