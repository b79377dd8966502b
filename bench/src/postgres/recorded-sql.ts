/** Reads statements from PostgreSQL's log with `log_statement = all`, and inserts their parameters. */
export function readStatements(log: string): string[] {
  const statements: string[] = [];
  // Continuation lines start with a tab.
  for (const entry of log.replaceAll('\n\t', ' ').split('\n')) {
    const text = /^LOG: {2}(?:statement|execute [^:]+): (.*)$/.exec(entry)?.[1];
    if (text !== undefined) statements.push(text);
    const values = /^DETAIL: {2}[Pp]arameters: (.*)$/.exec(entry)?.[1];
    if (values !== undefined) statements.push(withValues(statements.pop() ?? '', values));
  }
  return statements;
}

const VALUE = /\$(\d+) = (NULL|'(?:[^']|'')*')/g;

function withValues(text: string, list: string): string {
  const values = new Map(Array.from(list.matchAll(VALUE), ([, number = '', value = '']) => [number, value]));
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => values.get(number) ?? 'NULL');
}

/** Returns a pgbench script that reads a list as the service does. */
export function listScript(statements: readonly string[]): string {
  return `${statements.join(';\n')};\n`;
}

/**
 * Returns a pgbench script that creates listings in the same way as the service created the listing with this ID.
 * @throws if no statement reads or stores the sequence
 */
export function createScript(statements: readonly string[], id: string): string {
  const event = statements.find((text) => text.startsWith('insert into "events"')) ?? '';
  const sequence = /^insert into "events" .* values \('[^']*', ('\d+')/.exec(event)?.[1];
  if (sequence === undefined) throw new Error('the recorded create has no event');
  if (!statements.some((text) => READS_SEQUENCE.test(text))) throw new Error('no statement reads the sequence');
  const lines = statements.map((text) => {
    const general = text.replaceAll(`'${id}'`, NEW_ID).replaceAll(sequence, ':next');
    return READS_SEQUENCE.test(text) ? `${general} \\gset\n\\set next :sequence + 1` : `${general};`;
  });
  return `\\set number random(1, 1000000000000000)\n${lines.join('\n')}\n`;
}

const NEW_ID = "('lst_' || lpad(cast(:number as text), 26, '0'))";
/** Matches the statement that reads the account and its sequence right after the service has locked the account. */
const READS_SEQUENCE = /^select "accounts"\."id", .*"sequence",? .*from /;
