/** How a statement uses tables that contain accounts' data. */
export interface Reading {
  tables: string[];
  /** The tables that no condition binds to an account. */
  loose: string[];
  /** The parameters that are account ids, numbered from 1. */
  slots: number[];
}

/** The tables of SQLite's search index, and the column of their terms, which begin with the account's number. */
const TERM_COLUMNS = new Map([
  ['listing_index', 'listing_index'],
  ['listing_index_terms', 'term'],
]);
export const INDEX_TABLES: ReadonlySet<string> = new Set(TERM_COLUMNS.keys());

/** Each side of these keywords has its own conditions. */
const PARTED_BY = new Set<Token>(['union', 'intersect', 'except']);
/** Before these keywords, `not` is part of an operator or clause, such as `not in` or `not materialized`. */
const DENIED = new Set<Token | undefined>(['in', 'exists', 'null', 'like', 'between', 'distinct', 'materialized']);

/**
 * Checks whether each part of a statement binds its tables to an account. A condition binds a table if it
 * compares the account column with a parameter, with a subquery for the account's number, or with the account
 * column of a bound table, or if it limits the terms to those of one account. Conditions do not bind a table if
 * `or` or `not` is among them.
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

/** Reads a statement or subquery, including its other parentheses. */
function readPart(tokens: Token[], tables: ReadonlySet<string>, reading: Reading): void {
  const sources = sourcesOf(tokens).filter(({ table }) => tables.has(table));
  reading.tables.push(...sources.map(({ table }) => table));
  const holding = readConditions(withoutSet(tokens), sources, reading.slots);
  for (const { table, name } of sources) if (!holding.isHeld(name)) reading.loose.push(table);
  for (const token of tokens) if (typeof token !== 'string') readGroup(token, tables, reading);
}

/** Removes the assignments after `set`, which are not conditions. */
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

/** Reads the conditions that are true for every row. */
function readConditions(tokens: Token[], sources: Source[], slots: number[]): Holding {
  const holding = new Holding(slots);
  if (hasLooseConditions(tokens)) return holding;
  for (const [index, token] of tokens.entries()) {
    if (token === 'where') holding.limitTo(undefined);
    if (token === 'join') holding.limitTo(leftJoinedAt(tokens, index, sources));
    if (token === 'into') readInserted(tokens, index, holding);
    const [left, right] = [columnAt(tokens, index - 1, sources, -1), columnAt(tokens, index + 1, sources, 1)];
    if (token === 'in' && left !== undefined) readAny(tokens[index + 1], left, holding);
    if (token === 'match') holding.hold(left, tokens[index + 1]);
    if (token === '<' && tokens[index - 1] === 'term') readRange(tokens.slice(index - 6, index + 3), left, holding);
    if (token !== '=') continue;
    if (left !== undefined && right !== undefined) holding.match(left, right);
    holding.hold(left, tokens[index + 1]);
    holding.hold(right, tokens[index - 1]);
  }
  return holding;
}

/** Whether some conditions can be false for a row, because of `or`, `not`, or a right or full join. */
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

/** Reads a range of terms, which is `term >= ? and term < ?`, or ends with `<= ?`. */
function readRange(tokens: Token[], name: string | undefined, holding: Holding): void {
  const [column, greater, equal, from, and, , , next, last] = tokens;
  if ([column, greater, equal, and].join(' ') !== 'term > = and') return;
  holding.hold(name, from);
  holding.hold(name, next === '=' ? last : next);
}

/** Reads an insert, which must have the account among its values. */
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
  return TERM_COLUMNS.get(table) ?? (table === 'accounts' ? 'id' : 'account_id');
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

/** Matches a subquery that returns an account's number, and has its own parameter. */
const NUMBER_OF_ACCOUNT = /^select number from account_numbers where account_id = \$\d+$/;

/** The tables that a statement's conditions bind to an account. */
class Holding {
  readonly #held = new Set<string>();
  readonly #follows: [name: string, other: string][] = [];
  readonly #slots: number[];
  #joined: string | undefined;

  constructor(slots: number[]) {
    this.#slots = slots;
  }

  limitTo(joined: string | undefined): void {
    this.#joined = joined;
  }

  /** Records that the table's account is `given`, if that is a parameter or a subquery for an account's number. */
  hold(name: string | undefined, given: Token | undefined): void {
    if (name === undefined || given === undefined) return;
    if (typeof given !== 'string') {
      if (NUMBER_OF_ACCOUNT.test(given.tokens.join(' '))) this.add(name);
      return;
    }
    if (!given.startsWith('$')) return;
    this.#slots.push(Number(given.slice(1)));
    this.add(name);
  }

  add(name: string): void {
    if (this.#isConcerned(name)) this.#held.add(name);
  }

  match(one: string, other: string): void {
    if (this.#isConcerned(one)) this.#follows.push([one, other]);
    if (this.#isConcerned(other)) this.#follows.push([other, one]);
  }

  isHeld(name: string, seen: readonly string[] = []): boolean {
    if (this.#held.has(name)) return true;
    const others = this.#follows.filter(([one, other]) => one === name && !seen.includes(other));
    return others.some(([, other]) => this.isHeld(other, [...seen, name]));
  }

  #isConcerned(name: string): boolean {
    return this.#joined === undefined || this.#joined === name;
  }
}

type Token = string | Group;

interface Group {
  tokens: Token[];
}

const TOKENS = /"([^"]+)"|'(?:[^']|'')*'|([A-Za-z_][\w$]*)|\$(\d+)|\?|[().,=]|[^\s]/g;

/** Splits a statement into tokens. Unquoted words are in lower case, and each parameter is `$` and its number. */
function readTokens(sql: string): Token[] {
  let placeholders = 0;
  const stack: Token[][] = [[]];
  for (const [text, quoted, word, number] of sql.matchAll(TOKENS)) {
    const top = stack.at(-1) ?? [];
    if (text === '(') {
      const group: Group = { tokens: [] };
      top.push(group);
      stack.push(group.tokens);
    } else if (text === ')') {
      const inner = stack.pop() ?? [];
      const outer = stack.at(-1) ?? [];
      if (/^(where|and)$/.test(String(outer.at(-2))) && isConjunction(inner)) outer.splice(-1, 1, ...inner);
    } else if (text === '?') {
      placeholders += 1;
      top.push(`$${placeholders}`);
    } else top.push(number !== undefined ? `$${number}` : (quoted ?? word?.toLowerCase() ?? text));
  }
  return stack[0] ?? [];
}

/** Whether the conditions in parentheses mean the same without the parentheses. */
function isConjunction(tokens: Token[]): boolean {
  return (
    !isPart(tokens) &&
    tokens.includes('and') &&
    !tokens.some((token) => token === ',' || token === 'or' || token === 'not')
  );
}

const PART_STARTS = new Set<Token | undefined>(['select', 'insert', 'update', 'delete', 'with']);

/** Whether the tokens are a separate statement. */
function isPart([first]: Token[]): boolean {
  return PART_STARTS.has(first);
}

interface Source {
  table: string;
  name: string;
  /** The position of the table's token, or -1 in parentheses. */
  index: number;
}

const BEFORE_TABLES = new Set<Token | undefined>(['from', 'using', 'join', 'into', 'only', 'lateral']);
/** After these keywords, a comma separates tables. */
const LIST_STARTS = new Set<Token>(['from', 'using']);
const LIST_ENDS = new Set<Token>('where set group having window order limit for returning values select'.split(' '));
/** Keywords that can follow a table's name, and that are therefore not its alias. */
const AFTER_TABLES = new Set<Token>([
  ...LIST_ENDS,
  ...'on join inner left right full cross natural using default offset fetch indexed'.split(' '),
]);

function sourcesOf(tokens: Token[]): Source[] {
  const sources: Source[] = [];
  let isList = false;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    const isUpdated = before === 'update' && tokens[index - 2] !== 'do';
    if (BEFORE_TABLES.has(before) || isUpdated || (isList && before === ',')) sources.push(...sourcesAt(tokens, index));
    if (LIST_STARTS.has(token)) isList = true;
    if (LIST_ENDS.has(token)) isList = false;
  }
  return sources;
}

function sourcesAt(tokens: Token[], index: number): Source[] {
  const [token, dot, second] = tokens.slice(index, index + 3);
  if (token === undefined) return [];
  if (typeof token !== 'string') {
    if (isPart(token.tokens)) return [];
    return sourcesOf(['from', ...token.tokens]).map((source) => ({ ...source, index: -1 }));
  }
  if (dot === '.' && typeof second === 'string') return sourcesAt(tokens, index + 2);
  const next = tokens[index + 1] === 'as' ? tokens[index + 2] : tokens[index + 1];
  const isNamed = typeof next === 'string' && /^\w+$/.test(next) && !AFTER_TABLES.has(next);
  return [{ table: token, name: isNamed ? next : token, index }];
}
