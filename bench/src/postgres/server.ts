import { createPostgresServer, type PostgresServer } from '../../../testkit/src/postgres.ts';

const SETTINGS = ['max_connections=200', 'unix_socket_directories=', 'log_line_prefix='];

export type LoggingServer = PostgresServer & {
  /** Its log since it was asked last. */
  readLog(): string;
};

/** A server with its own settings, which lose nothing, but for the number of connections. */
export async function startPostgres(): Promise<LoggingServer> {
  let log = '';
  const server = await createPostgresServer(SETTINGS, (text) => {
    log += text;
  });
  return {
    ...server,
    readLog() {
      const read = log;
      log = '';
      return read;
    },
  };
}
