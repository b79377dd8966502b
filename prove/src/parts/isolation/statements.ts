import { Holding } from './holding.ts';
import { type Group, isPart, readTokens, type Source, sourcesOf, type Token } from './sources.ts';

/** How a statement uses tables with accounts' data. */
export interface Reading {
  tables: string[];
  loose: string[];
  /** Parameters, from 1, that are account ids. */
  slots: number[];
}

/** Each side has conditions of its own. */
const PARTED_BY = new Set<Token>(['union', 'intersect', 'except']);
/** `not` before these does not negate a condition. */
const DENIED = new Set<Token | undefined>(['in', 'exists', 'null', 'like', 'between', 'distinct', 'materialized']);

/**
 * Whether each part of a statement binds its tables to a given account: by `account_id = ?`, not
 * next to `or` or after `not`, or by equality with a bound table.
 */
export function readStatement(sql: string, tables: ReadonlySet<string>): Reading {
  const reading: Reading = { tables: [], loose: [], slots: [] };
  readParts(readTokens(sql), tables, reading);
  return reading;
}

function readParts(tokens: Token[], tables: ReadonlySet<string>, reading: Reading): void {
  const end = tokens.findIndex((token) => PARTED_BY.has(token));
  readPart(end < 0 ? tokens : tokens.slice(0, end), tables, reading);
  if (end >= 0) readParts(tokens.slice(end + 1), tables, reading);
}

/** A statement or subquery. Other parentheses belong to it. */
function readPart(tokens: Token[], tables: ReadonlySet<string>, reading: Reading): void {
  const sources = sourcesOf(tokens).filter(({ table }) => tables.has(table));
  reading.tables.push(...sources.map(({ table }) => table));
  const holding = readConditions(withoutSet(tokens), sources, reading.slots);
  for (const { table, name } of sources) if (!holding.isHeld(name)) reading.loose.push(table);
  for (const token of tokens) if (typeof token !== 'string') readGroup(token, tables, reading);
}

/** `set` is not a condition. */
function withoutSet(tokens: Token[]): Token[] {
  const start = tokens.indexOf('set');
  const end = tokens.indexOf('where', start);
  if (start < 0) return tokens;
  return [...tokens.slice(0, start), ...(end < 0 ? [] : tokens.slice(end))];
}

function readGroup({ tokens }: Group, tables: ReadonlySet<string>, reading: Reading): void {
  if (isPart(tokens)) readParts(tokens, tables, reading);
  else for (const token of tokens) if (typeof token !== 'string') readGroup(token, tables, reading);
}

/** Conditions that hold for every row. */
function readConditions(tokens: Token[], sources: Source[], slots: number[]): Holding {
  const holding = new Holding(slots);
  if (hasLooseConditions(tokens)) return holding;
  for (const [index, token] of tokens.entries()) {
    if (token === 'where') holding.limitTo(undefined);
    if (token === 'join') holding.limitTo(leftJoinedAt(tokens, index, sources));
    if (token === 'into') readInserted(tokens, index, holding);
    const [left, right] = [columnAt(tokens, index - 1, sources, -1), columnAt(tokens, index + 1, sources, 1)];
    if (token === 'in' && left !== undefined) readAny(tokens[index + 1], left, holding);
    if (token !== '=') continue;
    if (left !== undefined && right !== undefined) holding.match(left, right);
    holding.hold(left, tokens[index + 1]);
    holding.hold(right, tokens[index - 1]);
  }
  return holding;
}

/** `or`, `not`, and some joins make conditions unreliable. */
function hasLooseConditions(tokens: Token[]): boolean {
  return tokens.some((token, index) => {
    const next = tokens[index + 1];
    if (token === 'right' || token === 'full') return next === 'join' || next === 'outer';
    return token === 'or' || (token === 'not' && typeof next === 'string' && !DENIED.has(next));
  });
}

function leftJoinedAt(tokens: Token[], index: number, sources: Source[]): string | undefined {
  const kind = tokens[index - 1] === 'outer' ? tokens[index - 2] : tokens[index - 1];
  return kind === 'left' ? (sources.find((source) => source.index === index + 1)?.name ?? '') : undefined;
}

function readAny(given: Token | undefined, name: string, holding: Holding): void {
  if (typeof given !== 'object') return;
  const values = given.tokens.filter((token) => token !== ',');
  if (values.every((token) => typeof token === 'string' && token.startsWith('$')))
    for (const value of values) holding.hold(name, value);
}

/** An insert names the account among its values. */
function readInserted(tokens: Token[], index: number, holding: Holding): void {
  const [table, columns, , values] = tokens.slice(index + 1, index + 5);
  if (typeof table !== 'string' || typeof columns !== 'object') return;
  const names = columns.tokens.filter((token) => token !== ',');
  const place = names.indexOf(keyOf(table));
  if (place < 0) return;
  holding.add(table);
  if (typeof values === 'object') holding.hold(table, values.tokens.filter((token) => token !== ',')[place]);
}

function keyOf(table: string): string {
  return table === 'accounts' ? 'id' : 'account_id';
}

function columnAt(tokens: Token[], index: number, sources: Source[], step: 1 | -1): string | undefined {
  const [first, dot, second] = step === 1 ? [index, index + 1, index + 2] : [index - 2, index - 1, index];
  if (tokens[dot] === '.') {
    const source = sources.find(({ name }) => name === tokens[first]);
    return source !== undefined && tokens[second] === keyOf(source.table) ? source.name : undefined;
  }
  const own = sources.filter(({ table }) => tokens[index] === keyOf(table));
  return own.length === 1 ? own[0]?.name : undefined;
}
