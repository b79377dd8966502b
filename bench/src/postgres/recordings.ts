import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresServer, type PostgresServer } from '../../../testkit/src/postgres.ts';
import { createCall } from '../creates.ts';
import { sendCall } from '../requests.ts';
import { createScript, listScript, readStatements } from './recorded-sql.ts';

/** The requests that are compared with pgbench. */
export const PARTS = ['list of 20', 'create'] as const;
export type Part = (typeof PARTS)[number];

export const LIST_PATH = '/v1/listings?limit=20';
const BODY = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });
/** How long to wait for the log, which another process writes. */
const LOG_WAIT_MS = 500;

/** Returns a URL whose connections make PostgreSQL log each of their statements. */
export function loggingUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', '-c log_statement=all');
  return url.href;
}

/** Records one script per part, with the statements that the service runs for the request. */
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

const SETTINGS = ['max_connections=200', 'unix_socket_directories=', 'log_line_prefix='];

type LoggingServer = PostgresServer & {
  pid: number;
  /** Returns the server's log output since the last call. */
  readLog(): string;
};

/** Starts a server with default settings, except those for connections and logging. Commits are durable. */
export async function startPostgres(): Promise<LoggingServer> {
  let log = '';
  const server = await createPostgresServer(SETTINGS, (text) => {
    log += text;
  });
  return {
    ...server,
    pid: Number.parseInt(readFileSync(join(server.directory, 'postmaster.pid'), 'utf8'), 10),
    readLog() {
      const read = log;
      log = '';
      return read;
    },
  };
}
