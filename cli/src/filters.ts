import type { ListQuery } from '@property-listings/client';
import { type Command, Option } from 'commander';
import { getField, LISTING_MEMBERS, toFlag } from './fields.ts';
import { parseNumber } from './numbers.ts';

/** A flag and the parameter of the API that it stands for. */
interface Filter {
  option: Option;
  parameter: string;
}

const RANGE_FIELDS = ['beds', 'baths', 'listPrice', 'livingArea', 'yearBuilt', 'createdAt', 'updatedAt'];
const RANGE_WORDS = { gt: 'more than', gte: 'at least', lt: 'less than', lte: 'at most' };
const SORT_FIELDS = ['createdAt', 'updatedAt', 'listPrice', 'beds', 'baths', 'livingArea'];

const FILTERS: readonly Filter[] = [
  choiceFilter('status'),
  choiceFilter('propertyType'),
  ...['city', 'postalCode', 'externalId'].map((name) =>
    filter(name, '<text>', `${getField(name).description}, exactly`),
  ),
  ...RANGE_FIELDS.flatMap((name) => rangeFilters(name)),
  filter('q', '<words>', 'each word must begin a word of address, city or description'),
  filter('bbox', '<west,south,east,north>', 'within this box, in degrees'),
  filter('near', '<latitude,longitude>', 'around this point, nearest first; with --radius'),
  filter('radius', '<distance>', 'so far around it, such as 800m, 5km or 3mi'),
  withValues(
    filter('sort', '<field>', `by ${SORT_FIELDS.join(', ')}; with - in front descending; else the newest first`),
    [...SORT_FIELDS, ...SORT_FIELDS.map((name) => `-${name}`)],
  ),
  withValues(filter('fields', '<names>', 'these members only, with commas between them'), LISTING_MEMBERS),
];

function filter(name: string, value: string, description: string): Filter {
  return { option: new Option(`--${toFlag(name)} ${value}`, description), parameter: name };
}

function choiceFilter(name: string): Filter {
  const { choices = [] } = getField(name);
  return withValues(filter(name, '<values>', `one or more with commas: ${choices.join(', ')}`), choices);
}

/** Values for the completion; the service itself says what it takes, as a newer one may take more. */
function withValues(made: Filter, values: readonly string[]): Filter {
  made.option.argChoices = [...values];
  return made;
}

/** `--beds`, and hidden from the help, which has a line about them, `--beds-gt` and so on. */
function rangeFilters(name: string): Filter[] {
  const isTime = name.endsWith('At');
  const value = isTime ? '<time>' : '<number>';
  const ranges = Object.entries(RANGE_WORDS).map(([operator, words]) => {
    const option = new Option(`--${toFlag(name)}-${operator} ${value}`, `${name} ${words}`).hideHelp();
    return { option: isTime ? option : option.argParser(parseNumber), parameter: `${name}[${operator}]` };
  });
  if (isTime) return ranges;
  const { option, parameter } = filter(name, value, getField(name).description);
  return [{ option: option.argParser(parseNumber), parameter }, ...ranges];
}

/** Lets a command choose listings as the API's list does. */
export function addFilters(command: Command): Command {
  for (const { option } of FILTERS) command.addOption(option);
  return command.addHelpText(
    'after',
    `
Ranges: ${RANGE_FIELDS.map((name) => `--${toFlag(name)}`).join(', ')}
each take -gt, -gte, -lt or -lte behind their names: --beds-gte 3 --list-price-lt 500000 --updated-at-gte 2026-11-01`,
  );
}

/** The query that the flags stand for, as it was typed: the service looks at it. */
export function toQuery(options: Record<string, unknown>): ListQuery {
  const given = FILTERS.filter(({ option }) => options[option.attributeName()] !== undefined);
  return Object(Object.fromEntries(given.map(({ option, parameter }) => [parameter, options[option.attributeName()]])));
}
