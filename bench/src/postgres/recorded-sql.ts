/** Statements as PostgreSQL's log tells them with `log_statement = all`, each with its values in it. */
export function readStatements(log: string): string[] {
  const statements: string[] = [];
  // Lines of the same entry begin with a tab.
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

/** A script for pgbench that lists as the service does, and stays what it is. */
export function listScript(statements: readonly string[]): string {
  return toScript(statements);
}

/**
 * A script for pgbench that creates one listing after the other, as the service has created that with this id.
 * @throws when no statement asks for the sequence, or none stores it
 */
export function createScript(statements: readonly string[], id: string): string {
  const event = statements.find((text) => text.startsWith('insert into "events"')) ?? '';
  const sequence = /^insert into "events" .* values \('[^']*', ('\d+')/.exec(event)?.[1];
  if (sequence === undefined) throw new Error('the recorded create has no event');
  if (!statements.some((text) => ASKS_SEQUENCE.test(text))) throw new Error('no statement asks for the sequence');
  const lines = statements.map((text) => {
    const general = text.replaceAll(`'${id}'`, NEW_ID).replaceAll(sequence, ':next');
    return ASKS_SEQUENCE.test(text) ? `${general} \\gset\n\\set next :sequence + 1` : `${general};`;
  });
  return `\\set number random(1, 1000000000000000)\n${lines.join('\n')}\n`;
}

const NEW_ID = "('lst_' || lpad(cast(:number as text), 26, '0'))";
/** With the account, right after its lock. */
const ASKS_SEQUENCE = /^select "accounts"\."id", .*"sequence",? .*from /;

function toScript(statements: readonly string[]): string {
  return `${statements.join(';\n')};\n`;
}
