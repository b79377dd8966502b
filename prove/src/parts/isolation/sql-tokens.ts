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
