import { z } from 'zod';
import { SERVER_FIELDS } from '../../../model/listings.ts';
import { suggest } from '../../../model/suggest.ts';
import { addIssue } from './fields.ts';
import { findNameIssue, normalName } from './metadata.ts';
import { booleanParameter, choiceParameter } from './parameters.ts';
import { findTarget, KNOWN_NAMES, type Target } from './targets.ts';

/** The most columns that `map` can name, and the longest column name. */
const MAPPINGS_MAX = 100;
const COLUMN_LENGTH_MAX = 200;
const NAME_LENGTH_MAX = 100;

/** The meanings of columns, from entries. */
export const columnMap = z
  .custom<[column: string, meant: string][]>((value) => Array.isArray(value))
  .transform((entries, context) => {
    if (entries.length > MAPPINGS_MAX) {
      return addIssue(context, 'too_long', `Must be given at most ${MAPPINGS_MAX} times.`);
    }
    const columns = new Map<string, string>();
    const meanings = new Set<string>();
    for (const [given, meant] of entries) {
      const column = given.trim();
      const issue = findMappingIssue(column, meant) ?? findRepeated(columns, meanings, column, meant);
      if (issue !== undefined) {
        context.addIssue({ code: 'custom', path: [given], message: issue.message, params: { code: issue.code } });
      }
      columns.set(column, meant);
      meanings.add(keyOf(findTarget(meant)));
    }
    return columns;
  })
  .meta({
    type: 'object',
    maxProperties: MAPPINGS_MAX,
    additionalProperties: { type: 'string' },
    description:
      'Names the field of a column or member: `map[Price]=listPrice`. The field can also have its RESO name, such as ' +
      '`LotSizeAcres`, or be a member of `metadata`: `map[Notes]=metadata.notes`. `map[Agent]=` skips the column. At ' +
      `most ${MAPPINGS_MAX} columns.`,
    example: { Price: 'listPrice', Notes: 'metadata.notes', Agent: '' },
  });

function findMappingIssue(column: string, meant: string) {
  if (column === '') return { code: 'blank', message: 'Must have the name of a column in brackets.' } as const;
  if (column.length > COLUMN_LENGTH_MAX) {
    return { code: 'too_long', message: `The name can have at most ${COLUMN_LENGTH_MAX} characters.` } as const;
  }
  const target = findTarget(meant);
  if (meant === '') return undefined;
  if (target === undefined) return { code: 'invalid_choice', message: unknownField(meant) } as const;
  if (target.member !== undefined) return findMemberIssue(target.member);
  const isServers = SERVER_FIELDS.some((field) => field === target.key && field !== 'id');
  if (!isServers) return undefined;
  return {
    code: 'read_only',
    message: `${meant} is set by the server; skip the column with map[${column}]=.`,
  } as const;
}

function findMemberIssue(member: string) {
  const issue = findNameIssue(member);
  if (issue !== undefined || member === normalName(member)) return issue;
  return { code: 'invalid_format', message: 'The name must be trimmed and in NFC.' } as const;
}

function unknownField(meant: string): string {
  const nearest = suggest(meant, KNOWN_NAMES);
  const hint =
    nearest === undefined ? '; to keep the column in metadata, use metadata.NAME.' : `; did you mean ${nearest}?`;
  return `There is no field ${meant.slice(0, NAME_LENGTH_MAX).toWellFormed()}${hint}`;
}

function findRepeated(columns: Map<string, string>, meanings: Set<string>, column: string, meant: string) {
  if (columns.has(column)) return { code: 'duplicate', message: 'Is the same column as another one.' } as const;
  if (meant === '' || !meanings.has(keyOf(findTarget(meant)))) return undefined;
  return { code: 'duplicate', message: `Another column is already ${meant}; map one of them.` } as const;
}

function keyOf(target: Target | undefined): string {
  return target === undefined ? '' : `${target.key}.${target.member ?? ''}`;
}

/** The parameters that say how a file is read; feeds have the same. */
export const readingParameters = {
  'map[COLUMN]': columnMap.optional(),
  clean: booleanParameter(
    'Reads values as people write them, such as `$450,000`, `1,250 sq ft`, `2.5` baths, and `Sold`. A value that can ' +
      'be read in two ways is an error.',
  ).optional(),
  dates: choiceParameter(
    ['mdy', 'dmy'],
    'The order of dates such as `03/04/2026`: month first (`mdy`) or day first (`dmy`). Requires `clean=true`.',
    'mdy',
  ).optional(),
  ignoreUnknown: booleanParameter('Skips unknown columns and members.').optional(),
};
