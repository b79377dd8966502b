export type Token = string | Group;

export interface Group {
  tokens: Token[];
}

const TOKENS = /"([^"]+)"|'(?:[^']|'')*'|([A-Za-z_][\w$]*)|\$(\d+)|\?|[().,=]|[^\s]/g;

/** The tokens of a statement: unquoted ones in lower case, each parameter as `$` and its number. */
export function readTokens(sql: string): Token[] {
  let placeholders = 0;
  const stack: Token[][] = [[]];
  for (const [text, quoted, word, number] of sql.matchAll(TOKENS)) {
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

const PART_STARTS = new Set<Token | undefined>(['select', 'insert', 'update', 'delete', 'with']);

/** Whether the tokens are a statement of their own. */
export function isPart([first]: Token[]): boolean {
  return PART_STARTS.has(first);
}

export interface Source {
  table: string;
  name: string;
  /** -1 in parentheses. */
  index: number;
}

const BEFORE_TABLES = new Set<Token | undefined>(['from', 'using', 'join', 'into', 'only', 'lateral']);
/** After these, a comma separates tables. */
const LIST_STARTS = new Set<Token>(['from', 'using']);
const LIST_ENDS = new Set<Token>('where set group having window order limit for returning values select'.split(' '));
/** Not an alias. */
const AFTER_TABLES = new Set<Token>([
  ...LIST_ENDS,
  ...'on join inner left right full cross natural using default offset fetch'.split(' '),
]);

export function sourcesOf(tokens: Token[]): Source[] {
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
