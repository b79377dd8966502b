import { createPostgresServer, type PostgresServer } from './postgres.ts';
import { buildProgram } from './program.ts';

// For `node --test --test-global-setup`: one program and one PostgreSQL server for all test files.

let started: PostgresServer | undefined;

export async function globalSetup(): Promise<void> {
  process.env.TEST_PROGRAM = await buildProgram();
  if (process.env.TEST_POSTGRES_URL) return;
  started = await createPostgresServer();
  process.env.TEST_POSTGRES_URL = started.url;
}

export async function globalTeardown(): Promise<void> {
  await started?.stop();
}
