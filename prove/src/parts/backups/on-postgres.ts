import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createPostgresDatabase, type TestDatabase } from '../../../../testkit/src/database.ts';
import { environment, runCommand } from '../../../../testkit/src/process.ts';
import { spawnFor } from '../../../../testkit/src/serving.ts';
import { until } from '../../../../testkit/src/until.ts';
import type { Trial } from '../../part.ts';
import type { Random } from '../../random.ts';
import { settingsOf } from '../../service.ts';
import { compare } from './comparing.ts';
import { createOwned, type Server, urlOf } from './postgres-server.ts';
import { type Means, type Source, type Taken, takeUnderLoad } from './taking.ts';
import { type Done, startWork } from './work.ts';

const NAME = 'PostgreSQL (pg_dump)';
const SIZE = { count: 5, filler: 10_000 };
/** Writes before a base backup, between it and the target time, and after that. */
const ACKNOWLEDGED = 100;

/** The roles from the docs. */
export async function setUp(server: Server): Promise<void> {
  await server.start();
  const { script, drop } = await createPostgresDatabase(urlOf('postgres', server.port, '/postgres'));
  await script(`create role listings login password 'secret'; create role backup login replication password 'secret'`);
  await drop();
}

/** Dumps under load, each restored into a new database, as in docs/self-hosting.md. */
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
  trial.say(`${NAME}: what was taken is restored`);
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

/** Point-in-time recovery under load, as in docs/self-hosting.md. */
export async function tryMoment(trial: Trial, random: Random, server: Server): Promise<Done> {
  trial.say('PostgreSQL: a base backup, and back to a moment');
  const { stage, programs, port } = server;
  const { url, database } = await createOwned(server);
  const settings = settingsOf(trial, { DATABASE_URL: url });
  const work = await startWork(trial, { name: 'PostgreSQL (PITR)', settings, database, count: 1, filler: 0 });
  await work.goOn(ACKNOWLEDGED);
  const base = ['-d', urlOf('backup', port), '-D', `${stage}/backup/base`];
  await server.run(join(programs, 'pg_basebackup'), [...base, '--checkpoint=fast']);
  await work.goOn(1 + random.upTo(ACKNOWLEDGED));
  const before = await work.note();
  const [clock] = await database.sql('select clock_timestamp()::text as now');
  // Commits before that moment are acknowledged before any write that starts after it.
  await work.goOn(ACKNOWLEDGED);
  const { sequence: to } = await work.note();
  await work.goOn(ACKNOWLEDGED);
  const done = await work.finish();
  const [last] = await database.sql('select pg_walfile_name(pg_switch_wal()) as file');
  await until('all of the log is kept', () => existsSync(`${stage}/backup/wal/${last?.file}`));
  await comeBackTo(server, String(clock?.now), database);
  assert.ok(to < done.events.length, 'nothing was written after the moment');
  const epoch = await renewEpoch(settings);
  await compare(trial, done, { before, to, etag: undefined }, { settings, database, epoch });
  return done;
}

/** The steps from the docs, up to the restarted server. */
async function comeBackTo(server: Server, moment: string, database: TestDatabase): Promise<void> {
  const { stage } = server;
  await server.stop();
  await rename(`${stage}/one`, `${stage}/before`);
  await server.run('cp', ['-a', `${stage}/backup/base`, `${stage}/one`]);
  await server.run('touch', [`${stage}/one/recovery.signal`]);
  await appendFile(`${stage}/one/postgresql.conf`, recovery(`${stage}/backup/wal`, moment));
  await server.start();
  await until('the server has recovered', async () => {
    const [state] = await database.sql('select pg_is_in_recovery() as is_in_recovery');
    return state?.is_in_recovery === false;
  });
}

function recovery(directory: string, moment: string): string {
  return `
restore_command = 'cp ${directory}/%f %p'
recovery_target_time = '${moment}'
recovery_target_action = 'promote'
`;
}

async function renewEpoch(settings: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['renew-epoch', '--json'], settings);
  assert.equal(code, 0, `the epoch could not be renewed: ${stderr}`);
  return JSON.parse(stdout).epoch;
}
