import type { ListQuery } from '@property-listings/client';
import { LISTING_FIELDS, RANGE_FIELDS, SORT_FIELDS } from '@property-listings/client/constants';
import { Option } from 'commander';
import { collect, parseNumber } from './arguments.ts';
import { type Command, wrap } from './command.ts';
import { CHOICES, FIELD_DESCRIPTIONS, type FieldName, NUMBER_FIELDS, toFlag } from './fields.ts';

interface Filter {
  option: Option;
  parameter: string;
}

const RANGE_WORDS = { gt: 'more than', gte: 'at least', lt: 'less than', lte: 'at most' };

const FILTERS: readonly Filter[] = [
  choiceFilter('status'),
  choiceFilter('propertyType'),
  ...(['city', 'stateOrProvince', 'postalCode', 'country', 'externalId'] as const).map((name) =>
    textFilter(name, FIELD_DESCRIPTIONS[name]),
  ),
  textFilter('feed', 'feed that owns the listing'),
  ...RANGE_FIELDS.flatMap(rangeFilters),
  filter('q', '<words>', 'beginnings of words in the address, unit, city, postal code, external ID, or description'),
  filter('bbox', '<west,south,east,north>', 'within a bounding box, in degrees'),
  filter('near', '<latitude,longitude>', 'around a point, nearest first; requires --radius'),
  filter('radius', '<distance>', 'distance from --near, such as 800m, 5km, or 3mi'),
  filter(
    'sort',
    '<field>',
    `sort by ${SORT_FIELDS.join(', ')}; prefix - for descending; default: newest first, or nearest first with --near`,
    [...SORT_FIELDS, ...SORT_FIELDS.map((name) => `-${name}`)],
  ),
  filter('fields', '<names>', 'fields to return, separated by commas', [...LISTING_FIELDS, 'distance']),
];

/** `choices` are for completion only: a newer service may accept more values. */
function filter(name: string, value: string, description: string, choices: readonly string[] = []): Filter {
  const option = new Option(`--${toFlag(name)} ${value}`, description);
  if (choices.length > 0) option.argChoices = [...choices];
  return { option, parameter: name };
}

function choiceFilter(name: FieldName): Filter {
  const choices = CHOICES[name] ?? [];
  return filter(name, '<values>', `one or more, separated by commas: ${choices.join(', ')}`, choices);
}

function textFilter(name: string, description: string): Filter {
  const repeatable = filter(name, '<text>', `${description}; repeat the option for several values`);
  repeatable.option.argParser(collect);
  return repeatable;
}

/** `--beds`, `--beds-gt`, and so on. The help text summarizes the range options instead of listing them. */
function rangeFilters(name: (typeof RANGE_FIELDS)[number]): Filter[] {
  const isNumber = NUMBER_FIELDS.has(name);
  const ranges = Object.entries(RANGE_WORDS).map(([operator, words]) => {
    const flag = `--${toFlag(name)}-${operator} ${isNumber ? '<number>' : '<time>'}`;
    const option = new Option(flag, `${name} ${words}`).hideHelp();
    return { option: isNumber ? option.argParser(parseNumber) : option, parameter: `${name}[${operator}]` };
  });
  if (!isNumber || name === 'createdAt' || name === 'updatedAt') return ranges;
  const takesSeveral = name === 'beds' || name === 'baths';
  const description = `${FIELD_DESCRIPTIONS[name]}${takesSeveral ? '; separate several with commas' : ''}`;
  const exact = filter(name, takesSeveral ? '<numbers>' : '<number>', description);
  exact.option.argParser((text) => (takesSeveral ? text.split(',').map(parseNumber).join() : parseNumber(text)));
  return [exact, ...ranges];
}

export function addFilters(command: Command): Command {
  for (const { option } of FILTERS) command.addOption(option);
  return command.details(`
Ranges: add -gt, -gte, -lt, or -lte to the name of these options:
${wrap(RANGE_FIELDS.map((name) => `--${toFlag(name)}`).join(', '))}
  Example: --beds-gte 3 --list-price-lt 500000 --updated-at-gte 2026-11-01`);
}

/** Converts the options to a query. The service validates the values. */
export function toQuery(options: Record<string, unknown>): ListQuery {
  const given = FILTERS.map(({ option, parameter }) => {
    const value = options[option.attributeName()];
    return [Array.isArray(value) && value.length > 1 ? `${parameter}[]` : parameter, value] as const;
  });
  return Object(Object.fromEntries(given.filter(([, value]) => value !== undefined)));
}
