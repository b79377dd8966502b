/** What a statement does with the tables that hold accounts' data. */
export interface Reading {
  tables: string[];
  /** Tables that are not held to one account. */
  loose: string[];
  /** Which of the values, from 1, are accounts' ids. */
  slots: number[];
}

type Token = string | Group;
/** What stands in parentheses. */
interface Group {
  tokens: Token[];
}

/** A table by the name that it has in its part of the statement. */
interface Source {
  table: string;
  name: string;
}

const WORDS = /"([^"]+)"|'(?:[^']|'')*'|([A-Za-z_][\w$]*)|\$(\d+)|\?|[().,=]|[^\s]/g;
const AFTER_TABLES = new Set([
  'where',
  'on',
  'set',
  'join',
  'inner',
  'left',
  'cross',
  'order',
  'group',
  'limit',
  'values',
  'returning',
  'as',
  'using',
  'select',
  'for',
  'default',
]);

/**
 * Whether each part of a statement that reads or writes an account's table is held to an account that is given:
 * `account_id = ?`, not beside an `or`, or the same as in a table beside it that is.
 */
export function readStatement(sql: string, tables: ReadonlySet<string>): Reading {
  const reading: Reading = { tables: [], loose: [], slots: [] };
  readPart(parse(sql), tables, reading);
  return reading;
}

function parse(sql: string): Token[] {
  let placeholders = 0;
  const stack: Token[][] = [[]];
  for (const [text, quoted, word, number] of sql.matchAll(WORDS)) {
    const top = stack.at(-1) ?? [];
    if (text === '(') {
      const group: Group = { tokens: [] };
      top.push(group);
      stack.push(group.tokens);
    } else if (text === ')') stack.pop();
    else if (text === '?') {
      placeholders += 1;
      top.push(`$${placeholders}`);
    } else top.push(number !== undefined ? `$${number}` : (quoted ?? word?.toLowerCase() ?? text));
  }
  return stack[0] ?? [];
}

/** A statement, or a `select` within one: what stands in parentheses and is none belongs to it. */
function readPart(tokens: Token[], tables: ReadonlySet<string>, reading: Reading): void {
  const sources = sourcesOf(tokens).filter(({ table }) => tables.has(table));
  reading.tables.push(...sources.map(({ table }) => table));
  const isHeld = heldSources(withoutSet(tokens), sources, reading.slots);
  for (const { table, name } of sources) if (!isHeld(name)) reading.loose.push(table);
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
  if (tokens[0] === 'select') readPart(tokens, tables, reading);
  else for (const token of tokens) if (typeof token !== 'string') readGroup(token, tables, reading);
}

function sourcesOf(tokens: Token[]): Source[] {
  return tokens.flatMap((token, index) => {
    const before = tokens[index - 1];
    const isSource =
      before === 'from' ||
      before === 'join' ||
      before === 'into' ||
      (before === 'update' && tokens[index - 2] !== 'do');
    if (!isSource || typeof token !== 'string') return [];
    const next = tokens[index + 1] === 'as' ? tokens[index + 2] : tokens[index + 1];
    const isNamed = typeof next === 'string' && /^\w+$/.test(next) && !AFTER_TABLES.has(next);
    return [{ table: token, name: isNamed ? next : token }];
  });
}

function heldSources(tokens: Token[], sources: Source[], slots: number[]): (name: string) => boolean {
  // Beside an `or` a condition holds nothing.
  if (tokens.includes('or')) return () => false;
  const held = new Set<string>();
  const pairs: [string, string][] = [];
  for (const [index, token] of tokens.entries()) {
    if (token === 'into') holdInserted(tokens, index, held, slots);
    const [left, right] = [columnAt(tokens, index - 1, sources, -1), columnAt(tokens, index + 1, sources, 1)];
    if (token === 'in' && left !== undefined) holdAny(tokens[index + 1], left, held, slots);
    if (token !== '=') continue;
    if (left !== undefined && right !== undefined) pairs.push([left, right]);
    holdGiven(left, tokens[index + 1], held, slots);
    holdGiven(right, tokens[index - 1], held, slots);
  }
  for (let count = 0; count < pairs.length; count += 1) {
    for (const [one, other] of pairs) if (held.has(one) || held.has(other)) held.add(one).add(other);
  }
  return (name) => held.has(name);
}

function holdGiven(name: string | undefined, given: Token | undefined, held: Set<string>, slots: number[]): void {
  if (name === undefined || typeof given !== 'string' || !given.startsWith('$')) return;
  held.add(name);
  slots.push(Number(given.slice(1)));
}

function holdAny(given: Token | undefined, name: string, held: Set<string>, slots: number[]): void {
  if (typeof given !== 'object') return;
  const values = given.tokens.filter((token) => token !== ',');
  if (values.every((token) => typeof token === 'string' && token.startsWith('$')))
    for (const value of values) holdGiven(name, value, held, slots);
}

/** What is put in has the account among its values. */
function holdInserted(tokens: Token[], index: number, held: Set<string>, slots: number[]): void {
  const [table, columns, , values] = tokens.slice(index + 1, index + 5);
  if (typeof table !== 'string' || typeof columns !== 'object') return;
  const names = columns.tokens.filter((token) => token !== ',');
  const place = names.indexOf(keyOf(table));
  if (place < 0) return;
  held.add(table);
  if (typeof values === 'object') holdGiven(table, values.tokens.filter((token) => token !== ',')[place], held, slots);
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
