import { Holding } from './holding.ts';
import { type Source, sourcesOf } from './sources.ts';
import { type Group, isPart, readTokens, type Token } from './sql-tokens.ts';

/** What a statement does with the tables that hold accounts' data. */
export interface Reading {
  tables: string[];
  /** Tables that are not held to one account. */
  loose: string[];
  /** Which of the values, from 1, are accounts' ids. */
  slots: number[];
}

/** Each part of these has conditions of its own. */
const PARTED_BY = new Set<Token>(['union', 'intersect', 'except']);
/** What is denied by a `not` before these is no condition that could hold. */
const DENIED = new Set<Token | undefined>(['in', 'exists', 'null', 'like', 'between', 'distinct', 'materialized']);

/**
 * Whether each part of a statement that reads or writes an account's table is held to an account that is given:
 * `account_id = ?`, not beside an `or` or after a `not`, or the same as in a table beside it that is.
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

/** A statement, or one within another: what stands in parentheses and is none belongs to it. */
function readPart(tokens: Token[], tables: ReadonlySet<string>, reading: Reading): void {
  const sources = sourcesOf(tokens).filter(({ table }) => tables.has(table));
  reading.tables.push(...sources.map(({ table }) => table));
  const holding = readConditions(withoutSet(tokens), sources, reading.slots);
  for (const { table, name } of sources) if (!holding.isHeld(name)) reading.loose.push(table);
  for (const token of tokens) if (typeof token !== 'string') readGroup(token, tables, reading);
}

/** What a statement writes is no condition. */
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

/** What the conditions say, if they say it of every row. */
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

/** Beside an `or`, after a `not` and in some joins a condition holds nothing. */
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

/** What is put in has the account among its values. */
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

/** The source whose account stands before or after a place. */
function columnAt(tokens: Token[], index: number, sources: Source[], step: 1 | -1): string | undefined {
  const [first, dot, second] = step === 1 ? [index, index + 1, index + 2] : [index - 2, index - 1, index];
  if (tokens[dot] === '.') {
    const source = sources.find(({ name }) => name === tokens[first]);
    return source !== undefined && tokens[second] === keyOf(source.table) ? source.name : undefined;
  }
  const own = sources.filter(({ table }) => tokens[index] === keyOf(table));
  return own.length === 1 ? own[0]?.name : undefined;
}
