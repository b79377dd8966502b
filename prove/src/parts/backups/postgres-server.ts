import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createPostgresDatabase, type TestDatabase } from '../../../../testkit/src/database.ts';
import { newDirectory } from '../../../../testkit/src/postgres.ts';
import { findNobody, writeOwned } from '../../../../testkit/src/postgres-programs.ts';
import { hasEnded } from '../../../../testkit/src/serving.ts';
import { until } from '../../../../testkit/src/until.ts';
import type { Trial } from '../../part.ts';

// The tests' own server lacks these programs, and older ones reject a newer server, so this server
// comes from the same package.
export const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup'];
export const DEBIAN = '/usr/lib/postgresql';
const PASSWORD = 'secret';
const READY = /ready to accept (read-only )?connections/;

/** A server as in the docs: durable, with WAL archiving. */
export interface Server {
  programs: string;
  port: number;
  /** Contains the data directory `one`, and `backup` with the archived `wal`. */
  stage: string;
  /** As the server's user. */
  run(program: string, args: string[]): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [...(process.env.PATH ?? '').split(':'), ...versions.map((version) => `${DEBIAN}/${version}/bin`)];
  return folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))));
}

export async function createArchivingServer(trial: Trial, programs: string): Promise<Server> {
  const stage = newDirectory();
  const owner = process.getuid?.() === 0 ? await findNobody() : undefined;
  const options = { ...owner, cwd: stage, env: { PATH: process.env.PATH ?? '' } };
  for (const path of [stage, `${stage}/backup`, `${stage}/backup/wal`]) {
    await mkdir(path, { mode: 0o700 });
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  }
  const run = async (program: string, args: string[]): Promise<void> => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 0, `${program} ended with ${code}: ${said}`);
  };
  let server: ChildProcess | undefined;
  const port = await findPort();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === undefined || hasEnded(server)) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  trial.after(async () => {
    await end('SIGQUIT');
    await rm(stage, { recursive: true, force: true });
  });

  await writeOwned(`${stage}/password`, PASSWORD);
  const given = ['-U', 'postgres', '--auth=password', `--pwfile=${stage}/password`, '--encoding=UTF8'];
  await run(join(programs, 'initdb'), ['-D', `${stage}/one`, ...given, '--locale=C.UTF-8']);
  await appendFile(`${stage}/one/postgresql.conf`, archiving(`${stage}/backup/wal`));
  return {
    programs,
    port,
    stage,
    run,
    async start() {
      const flags = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
      const args = ['-D', `${stage}/one`, '-p', `${port}`, ...flags];
      const child = spawn(join(programs, 'postgres'), args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
      server = child;
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-5_000);
      });
      await until('PostgreSQL takes connections', () => hasEnded(child) || READY.test(said));
      if (hasEnded(child)) throw new Error(`PostgreSQL has ended: ${said}`);
    },
    stop: () => end('SIGINT'),
  };
}

/** From docs/self-hosting.md. */
function archiving(directory: string): string {
  const target = `${directory}/%f`;
  return `
archive_mode = on
archive_command = 'test ! -f ${target} && cp %p ${target}.part && sync ${target}.part && mv ${target}.part ${target}'
archive_timeout = 60
`;
}

/** A database owned by the service's role, and a superuser's connection to it. */
export async function createOwned({ port }: Server): Promise<{ url: string; database: TestDatabase }> {
  const database = await createPostgresDatabase(`postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`);
  const { pathname } = new URL(database.url);
  await database.script(`alter database ${pathname.slice(1)} owner to listings`);
  return { url: urlOf('listings', port, pathname), database };
}

export function urlOf(user: string, port: number, pathname = ''): string {
  return `postgres://${user}:${PASSWORD}@127.0.0.1:${port}${pathname}`;
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
