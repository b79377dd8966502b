export type Token = string | Group;

/** What stands in parentheses. */
export interface Group {
  tokens: Token[];
}

const TOKENS = /"([^"]+)"|'(?:[^']|'')*'|([A-Za-z_][\w$]*)|\$(\d+)|\?|[().,=]|[^\s]/g;

/** The words and signs of a statement: those that no quotes protect in lower case, each value as `$` and its place. */
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

/** Whether parentheses hold a statement of their own. */
export function isPart([first]: Token[]): boolean {
  return PART_STARTS.has(first);
}
