import { join } from 'node:path';
import { formatCount } from '../../../bench/src/formats.ts';
import { createDatabase } from '../../../testkit/src/database.ts';
import { environment, SOURCE_PROGRAM } from '../../../testkit/src/process.ts';
import { createRandom, type Random } from '../../../testkit/src/random.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { settingsOf } from '../service.ts';
import { createArchivingServer, DEBIAN, findPrograms, PROGRAMS, tryDumps, tryMoment } from './backups/on-postgres.ts';
import { refuse, refuseWhileServed, restoreAndCompare } from './backups/restoring.ts';
import { type Means, type Source, takeUnderLoad } from './backups/taking.ts';

/** `count`: how many backups are taken of each service. `filler`: how many listings exist before the first backup. */
const SIZES = { full: { count: 20, filler: 30_000 }, small: { count: 2, filler: 0 } } as const;

const WITHOUT_PROGRAMS = `PostgreSQL's pg_dump and base backups: no directory in the PATH or in ${DEBIAN} has all of ${PROGRAMS.join(', ')}`;

export const backups: Part = {
  name: 'backups',
  title: 'Backup and restore',
  promise:
    'A backup of the running service is complete and consistent, and a restored database is never mistaken for the old one.',
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const random = createRandom(trial.seed);
  const names = trial.size === 'full' ? ['one process', 'two workers'] : ['one process'];
  const sources: Source[] = [];
  for (const [index, name] of names.entries()) sources.push(await tryFile(trial, random, name, `${index + 1}`));
  if (trial.size === 'small') return describe(sources);
  const programs = findPrograms();
  if (programs === undefined) return { ...describe(sources), skipped: [WITHOUT_PROGRAMS] };
  const server = await createArchivingServer(trial, programs);
  sources.push(await tryDumps(trial, random, server));
  const { acknowledged } = await tryMoment(trial, random, server);
  const { figures, ...rest } = describe(sources);
  const moment = `1, from a base backup and the log of ${formatCount(acknowledged)} acknowledged writes`;
  return { ...rest, figures: [...figures, ['PostgreSQL point-in-time recovery', moment]] };
}

/** Takes backups of a service on SQLite, restores each, and tries restores that must fail. */
async function tryFile(trial: Trial, random: Random, name: string, workers: string): Promise<Source> {
  const directory = join(trial.directory, name);
  const settings = settingsOf(trial, { DATA_DIR: directory, ...(workers !== '1' && { WORKERS: workers }) });
  const database = await createDatabase(directory, 'sqlite');
  const meansOf = (file: string): Means => ({
    program: process.execPath,
    args: [SOURCE_PROGRAM, 'backup', file],
    env: environment(settings),
    partial: `${file}.partial`,
  });
  const site = { name, settings, database, ...SIZES[trial.size], meansOf };
  const source = await takeUnderLoad(trial, random, site, ({ file }) => refuseWhileServed(file, settings));
  trial.say(`${name}: restoring the backups`);
  for (const backup of source.taken) await restoreAndCompare(trial, source, backup);
  await refuse(source);
  return source;
}

function describe(sources: Source[]): Outcome {
  const names = new Intl.ListFormat('en').format(sources.map(({ site }) => site.name));
  const taken = sources.flatMap((source) => source.taken);
  const largest = Math.max(...taken.map(({ bytes }) => bytes));
  const whole = taken.filter(({ stops }) => stops === 0);
  const longest = Math.max(...whole.map(({ durationMs }) => durationMs));
  const stops = taken.reduce((sum, backup) => sum + backup.stops, 0);
  const acknowledged = sources.reduce((sum, source) => sum + source.acknowledged, 0);
  const p99s = sources.flatMap(({ probe, site: { name } }): Outcome['figures'] => {
    if (probe === undefined) return [];
    const { without, during } = probe;
    const words = `${p99(without)} · ${p99(during)} ms (of ${without.length} · ${during.length} writes)`;
    return [[`p99 of writes without · during a backup, ${name}`, words]];
  });
  return {
    tried: `${taken.length} backups with ${names}, all but the last of each under load, and every second one paused repeatedly during other writes; all were restored elsewhere and compared with the ledger and all events`,
    figure: `${taken.length} of ${taken.length} are consistent and have a new epoch; 0 writes were rejected or waited for a backup`,
    figures: [
      ['acknowledged writes during the backups', formatCount(acknowledged)],
      ['times that a backup was paused while writes succeeded', formatCount(stops)],
      ['largest backup', `${(largest / 1e6).toFixed(1)} MB`],
      ['longest backup, including the start of the command', `${(longest / 1_000).toFixed(1)} s`],
      ...p99s,
    ],
  };
}

function p99(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  return (sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN).toFixed(1);
}
