import { setTimeout as sleep } from 'node:timers/promises';
import { createCall } from '../creates.ts';
import { sendCall } from '../requests.ts';
import { createScript, listScript, readStatements } from './recorded-sql.ts';

/** What the service's requests are measured against. */
export const PARTS = ['list of 20', 'create'] as const;
export type Part = (typeof PARTS)[number];

export const LIST_PATH = '/v1/listings?limit=20';
const BODY = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });
/** The log is written by another process. */
const LOG_WAIT_MS = 500;

/** Makes the service's connections tell each statement to PostgreSQL's log. */
export function loggingUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', '-c log_statement=all');
  return url.href;
}

/**
 * One script for each part, with the statements that the service sends for its request.
 * @param readLog gives PostgreSQL's log since it was asked last
 */
export async function recordScripts(port: number, readLog: () => string, key: string): Promise<Record<Part, string>> {
  const record = async (call: Parameters<typeof sendCall>[1]) => {
    await sleep(LOG_WAIT_MS);
    readLog();
    const reply = await sendCall(port, call);
    await sleep(LOG_WAIT_MS);
    return { reply, statements: readStatements(readLog()) };
  };
  const list = await record({ method: 'GET', path: LIST_PATH, key });
  const create = await record(createCall(key, BODY));
  const { id } = JSON.parse(create.reply.body.toString());
  return { 'list of 20': listScript(list.statements), create: createScript(create.statements, id) };
}
