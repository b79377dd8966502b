import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { createPostgresDatabase, type TestDatabase } from '../../../../testkit/src/database.ts';
import { newDirectory, type PostgresServer } from '../../../../testkit/src/postgres.ts';
import { findNobody } from '../../../../testkit/src/postgres-programs.ts';
import { environment, runCommand } from '../../../../testkit/src/process.ts';
import type { Random } from '../../../../testkit/src/random.ts';
import { spawnFor } from '../../../../testkit/src/serving.ts';
import { until } from '../../../../testkit/src/until.ts';
import type { Trial } from '../../part.ts';
import { postgresFor, settingsOf } from '../../service.ts';
import { compare } from './restoring.ts';
import { type Means, type Source, type Taken, takeUnderLoad } from './taking.ts';
import { type Done, startWork } from './work.ts';

const NAME = 'PostgreSQL (pg_dump)';
const SIZE = { count: 5, filler: 10_000 };
/** How many acknowledged writes to wait for in each step. Before the target time, it is about the maximum. */
const ACKNOWLEDGED = 100;

/** Takes dumps, all but the last under load, and restores each into a new database, as docs/operating.md says. */
export async function tryDumps(trial: Trial, random: Random, server: Server): Promise<Source> {
  const { url, database } = await createOwned(server);
  const settings = settingsOf(trial, { DATABASE_URL: url });
  const meansOf = (file: string): Means => ({
    program: join(server.programs, 'pg_dump'),
    args: ['--format=custom', `--file=${file}`, url],
    env: environment({}),
    partial: file,
  });
  const source = await takeUnderLoad(trial, random, { name: NAME, settings, database, ...SIZE, meansOf });
  trial.say(`${NAME}: restoring the backups`);
  for (const backup of source.taken) await restoreDump(trial, server, source, backup);
  return source;
}

async function restoreDump(trial: Trial, server: Server, source: Source, backup: Taken): Promise<void> {
  const { url, database } = await createOwned(server);
  const flags = ['--exit-on-error', '--no-owner', '--single-transaction', `--dbname=${url}`];
  const program = join(server.programs, 'pg_restore');
  const { output, closed } = spawnFor(trial, program, [...flags, backup.file], environment({}));
  assert.equal(await closed, 0, `a dump could not be restored: ${output.stderr}`);
  const settings = { ...source.site.settings, DATABASE_URL: url };
  await compare(trial, source, backup, { settings, database, epoch: await renewEpoch(settings) });
  await database.drop();
}

/** Makes a base backup under load, and then recovers to a point in time, as described in docs/operating.md. */
export async function tryMoment(trial: Trial, random: Random, server: Server): Promise<Done> {
  trial.say('PostgreSQL: a base backup and point-in-time recovery');
  const { stage, programs } = server;
  const { url, database } = await createOwned(server);
  const settings = settingsOf(trial, { DATABASE_URL: url });
  const work = await startWork(trial, { name: 'PostgreSQL (PITR)', settings, database, count: 1, filler: 0 });
  await work.goOn(ACKNOWLEDGED);
  const base = ['-d', urlOf('backup', server), '-D', `${stage}/backup/base`];
  await server.run(join(programs, 'pg_basebackup'), [...base, '--checkpoint=fast']);
  await work.goOn(1 + random.upTo(ACKNOWLEDGED));
  const before = await work.note();
  const [clock] = await database.sql('select clock_timestamp()::text as now');
  // Wait until all commits before the target time are acknowledged.
  await work.goOn(ACKNOWLEDGED);
  const { sequence: to } = await work.note();
  await work.goOn(ACKNOWLEDGED);
  const done = await work.finish();
  const [last] = await database.sql('select pg_walfile_name(pg_switch_wal()) as file');
  await until('the log is archived', () => existsSync(`${stage}/backup/wal/${last?.file}`));
  await comeBackTo(server, String(clock?.now), database);
  assert.ok(to < done.events.length, 'nothing was written after the target time');
  const epoch = await renewEpoch(settings);
  await compare(trial, done, { before, to, etag: undefined }, { settings, database, epoch });
  return done;
}

/** Recovers the server to a point in time, as described in docs/operating.md. */
async function comeBackTo(server: Server, moment: string, database: TestDatabase): Promise<void> {
  const { stage } = server;
  await server.halt('fast');
  await rename(`${stage}/one`, `${stage}/before`);
  await server.run('cp', ['-a', `${stage}/backup/base`, `${stage}/one`]);
  await server.run('touch', [`${stage}/one/recovery.signal`]);
  await appendFile(
    `${stage}/one/postgresql.conf`,
    `
restore_command = 'cp ${stage}/backup/wal/%f %p'
recovery_target_time = '${moment}'
recovery_target_action = 'promote'
`,
  );
  await server.start();
  await until('the server has recovered', async () => {
    const [state] = await database.sql('select pg_is_in_recovery() as is_in_recovery');
    return state?.is_in_recovery === false;
  });
}

async function renewEpoch(settings: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['renew-epoch', '--json'], settings);
  assert.equal(code, 0, `the epoch could not be renewed: ${stderr}`);
  return JSON.parse(stdout).epoch;
}

// The tests' PostgreSQL lacks the last three, which must not be older than the server. Use another installation.
export const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup'];
export const DEBIAN = '/usr/lib/postgresql';
const PASSWORD = 'secret';

/** A PostgreSQL server as described in docs/operating.md: durable, and with WAL archiving. */
export interface Server extends PostgresServer {
  programs: string;
  /** Contains the data directory `one`, and `backup` with the archived `wal`. */
  stage: string;
  /** Runs a program as the server's user. */
  run(program: string, args: string[]): Promise<void>;
}

export function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [...(process.env.PATH ?? '').split(':'), ...versions.map((version) => `${DEBIAN}/${version}/bin`)];
  return folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))));
}

export async function createArchivingServer(trial: Trial, folder: string): Promise<Server> {
  const stage = newDirectory();
  const owner = process.getuid?.() === 0 ? await findNobody() : undefined;
  for (const path of [stage, `${stage}/backup`, `${stage}/backup/wal`]) {
    await mkdir(path, { mode: 0o700 });
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  }
  defer(trial, () => rm(stage, { recursive: true, force: true }));
  const target = `${stage}/backup/wal/%f`;
  const archive = `test ! -f ${target} && cp %p ${target}.part && sync ${target}.part && mv ${target}.part ${target}`;
  const settings = ['unix_socket_directories=', 'archive_mode=on', `archive_command=${archive}`, 'archive_timeout=60'];
  const server = await postgresFor(trial, settings, undefined, {
    directory: `${stage}/one`,
    flags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    programs: { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres'), owner },
  });
  const run = async (program: string, args: string[]): Promise<void> => {
    const { output, closed } = spawnFor(trial, program, args, { PATH: process.env.PATH ?? '' }, stage, owner);
    const code = await closed;
    assert.equal(code, 0, `${program} ended with ${code}: ${output.stderr}`);
  };
  // The roles are those from docs/scaling.md (`listings`) and docs/operating.md (`backup`).
  const { script, drop } = await createPostgresDatabase(server.url);
  await script(`create role listings login password 'secret'; create role backup login replication password 'secret'`);
  await drop();
  return { ...server, programs: folder, stage, run };
}

/** Creates a database that the service's role owns, and a superuser's connection to it. */
async function createOwned(server: Server): Promise<{ url: string; database: TestDatabase }> {
  const database = await createPostgresDatabase(server.url);
  const { pathname } = new URL(database.url);
  await database.script(`alter database ${pathname.slice(1)} owner to listings`);
  return { url: urlOf('listings', server, pathname), database };
}

function urlOf(user: string, server: Server, pathname = ''): string {
  return Object.assign(new URL(server.url), { username: user, password: PASSWORD, pathname }).href;
}
